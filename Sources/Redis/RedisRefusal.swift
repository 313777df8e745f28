/// Why a server refuses commands, as far as that calls for different remedies.
public enum RedisRefusal: CaseIterable, Sendable {
    /// The server is a replica, as after a failover.
    case readOnly
    /// Its memory is full (`maxmemory`).
    case noMemory
    /// The user lacks a permission (ACL).
    case noPermission
    case other

    /// - Parameter text: The server's error message. Scripts pass on the errors of their commands, before Redis 7 within
    ///   a text of their own.
    public init(_ text: String) {
        self = Self.signs.first { _, signs in signs.contains { text.contains($0) } }?.0 ?? .other
    }

    /// Replies begin with a code. Scripts quote that of their command after a dash, or say something of their own.
    private static let signs: [(RedisRefusal, [String])] = [
        (.readOnly, ["READONLY "]),
        (.noMemory, ["OOM command", "OOM allow-oom"]),
        (.noPermission, ["NOPERM ", "The user executing the script can't ", "ACL failure in script"]),
    ]
}
