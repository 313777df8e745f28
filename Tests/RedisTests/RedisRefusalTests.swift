import Testing

@testable import Redis

@Suite struct RedisRefusalTests {
    /// As written by Redis 7.0; the longer ones by Redis 6, and by scripts of Redis 7.2.
    @Test(arguments: [
        ("READONLY You can't write against a read only replica.", RedisRefusal.readOnly),
        ("READONLY You can't write against a read only replica. script: 37df, on @user_script:1.", .readOnly),
        (
            "ERR Error running script (call to f_37df): @user_script:1: @user_script: 1: -READONLY You can't write",
            .readOnly
        ),
        ("OOM command not allowed when used memory > 'maxmemory'.", .noMemory),
        ("ERR Error running script (call to f_37df): @user_script:1: -OOM command not allowed", .noMemory),
        ("NOPERM this user has no permissions to run the 'zadd' command", .noPermission),
        ("ERR The user executing the script can't run this command or subcommand script: 37df", .noPermission),
        (
            "ERR Error running script (call to f_37df): @user_script:5: @user_script: 5: The user executing the script "
                + "can't run this command or subcommand", .noPermission
        ),
        ("ERR The user executing the script can't access at least one of the keys mentioned", .noPermission),
        ("ERR ACL failure in script: User bob has no permissions to run the 'zadd' command", .noPermission),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", .other), ("", .other), ("OOM", .other),
    ]) func `the remedy follows from the server's words`(text: String, refusal: RedisRefusal) {
        #expect(RedisRefusal(text) == refusal)
    }
}
