import Redis

/// The steps in which renditions of remote images are kept and found: which of their contents is the present one stands in
/// a hash beside them.
enum TierScripts {
    /// Finds a rendition of the present content, if its origin need not be asked.
    ///
    /// Keys: original. Arguments: what stands before and behind the version in the rendition's key, milliseconds that the
    /// rendition lives on, whether its freshness is of no account (1 or 0). Answers version, freshness, original, facts and rendition, or nothing.
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

    /// Notes which content of a remote original is the present one, unless a later turn has.
    ///
    /// Keys: original. Arguments: version, fence, freshness in seconds since 1970, original, facts or nothing. Answers
    /// whether it was noted.
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
