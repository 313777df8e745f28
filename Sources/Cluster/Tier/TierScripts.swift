import Redis

/// The scripts that store and find renditions of remote images. A hash beside the renditions says which version is
/// current.
enum TierScripts {
    /// Finds a rendition of the current version, if its origin needn't be asked first.
    ///
    /// Keys: original. Arguments: the rendition's key before and after the version, the rendition's new lifetime in
    /// milliseconds, and whether to ignore freshness (1 or 0). Returns version, freshness, original, facts and
    /// rendition, or nothing.
    static let find = RedisScript(
        """
        local known = redis.call('HMGET', KEYS[1], 'version', 'fresh', 'body', 'facts')
        if not known[1] then return false end
        if ARGV[4] == '0' and tonumber(known[2]) <= tonumber(redis.call('TIME')[1]) then return false end
        local key = ARGV[1] .. known[1] .. ARGV[2]
        local bytes = redis.call('GET', key)
        if not bytes then return false end
        redis.call('PEXPIRE', key, ARGV[3])
        return {known[1], known[2], known[3], known[4] or '', bytes}
        """)

    /// Records which version of a remote original is current, unless the holder of a later lease already has.
    ///
    /// Keys: original. Arguments: version, fence, freshness in seconds since 1970, original, facts or an empty
    /// string. Returns whether it was recorded.
    static let note = RedisScript(
        """
        local known = redis.call('HMGET', KEYS[1], 'version', 'fence')
        if known[2] and tonumber(known[2]) > tonumber(ARGV[2]) then return 0 end
        if known[1] and known[1] ~= ARGV[1] then redis.call('DEL', KEYS[1]) end
        redis.call('HSET', KEYS[1], 'version', ARGV[1], 'fence', ARGV[2], 'fresh', ARGV[3], 'body', ARGV[4])
        if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'facts', ARGV[5]) end
        local left = tonumber(ARGV[3]) - tonumber(redis.call('TIME')[1])
        -- It outlives its freshness by so much that no turn from before can come after it.
        redis.call('EXPIRE', KEYS[1], math.min(math.max(left, 0) + 600, 86400))
        return 1
        """)
}
