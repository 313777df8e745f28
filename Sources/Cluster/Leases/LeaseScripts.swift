import Redis

/// The scripts that take, renew and end leases; Redis runs each of them atomically.
///
/// Each subject has a lease, `FENCE NODE`, which expires unless it is renewed; its waiting requests, a hash from
/// `NAME NODE` to the urgency; and, for a few seconds after a failure, the failure.
enum LeaseScripts {
    /// Takes a lease.
    ///
    /// Keys: lease, wishes, fence, failure. Arguments: node, name, lease lifetime in milliseconds, channel, request
    /// lifetime in milliseconds, whether to ignore a remembered failure (1 or 0), urgency. Returns `mine FENCE`,
    /// `held MILLISECONDS` or `failed FAILURE`.
    static let ask = RedisScript(
        """
        if ARGV[6] == '0' then
          local failure = redis.call('GET', KEYS[4])
          if failure then return {'failed', failure} end
        end
        local lease = redis.call('GET', KEYS[1])
        if lease then
          local fence, node = string.match(lease, '^(%d+) (%S+)$')
          if node == ARGV[1] then
            redis.call('PEXPIRE', KEYS[1], ARGV[3])
            return {'mine', fence}
          end
          redis.call('HSET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], ARGV[7])
          redis.call('PEXPIRE', KEYS[2], ARGV[5])
          redis.call('PUBLISH', ARGV[4], 'wanted ' .. (node or '-') .. ' ' .. ARGV[7] .. ' ' .. ARGV[2])
          return {'held', redis.call('PTTL', KEYS[1])}
        end
        -- From the clock, so that a server which forgot everything does not begin with numbers that were given already.
        if redis.call('EXISTS', KEYS[3]) == 0 then
          local now = redis.call('TIME')
          redis.call('SET', KEYS[3], string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
        end
        local fence = string.format('%.0f', redis.call('INCR', KEYS[3]))
        redis.call('SET', KEYS[1], fence .. ' ' .. ARGV[1], 'PX', ARGV[3])
        redis.call('HDEL', KEYS[2], ARGV[2] .. ' ' .. ARGV[1])
        return {'mine', fence}
        """)

    /// Ends one of the loads that share a node's lease; the last one ends the lease.
    ///
    /// Keys: lease, wishes, failure. Arguments: node, fence, channel, subject, name, outcome (made, failed, abandoned),
    /// whether it is the last (1 or 0), failure, failure lifetime in milliseconds, lease lifetime in milliseconds.
    /// Returns `late` if the node has lost the lease; `wanted` with names and urgencies if other nodes wait for more
    /// renditions of the subject, for which the node keeps the lease; otherwise `done`.
    static let end = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[2] .. ' ' .. ARGV[1] then return {'late'} end
        local wishes = redis.call('HGETALL', KEYS[2])
        if ARGV[6] == 'failed' then
          redis.call('SET', KEYS[3], ARGV[8], 'PX', ARGV[9])
          if #wishes > 0 then
            redis.call('DEL', KEYS[2])
            redis.call('PUBLISH', ARGV[3], 'failed ' .. ARGV[4] .. ' ' .. ARGV[8])
          end
          if ARGV[7] == '1' then redis.call('DEL', KEYS[1]) end
          return {'done'}
        end
        local left, isTold = {'wanted'}, false
        if ARGV[6] == 'made' then
          for place = 1, #wishes, 2 do
            local name = string.match(wishes[place], '^(%S+)')
            if name == ARGV[5] then
              redis.call('HDEL', KEYS[2], wishes[place])
              isTold = true
            else
              left[#left + 1] = name
              left[#left + 1] = wishes[place + 1]
            end
          end
          if isTold then redis.call('PUBLISH', ARGV[3], 'made ' .. ARGV[5]) end
        end
        if ARGV[7] == '0' then return {'done'} end
        if #left > 1 then
          redis.call('PEXPIRE', KEYS[1], ARGV[10])
          return left
        end
        redis.call('DEL', KEYS[1], KEYS[2])
        if ARGV[6] ~= 'made' and #wishes > 0 then redis.call('PUBLISH', ARGV[3], 'free ' .. ARGV[4]) end
        return {'done'}
        """)

    /// Renews leases. A lease that nobody holds, for instance because Redis restarted, is taken again.
    ///
    /// Keys: the leases. Arguments: node, lifetime in milliseconds, and the fence of each. Returns for each lease 1
    /// if the node holds it, otherwise 0.
    static let renew = RedisScript(
        """
        local answers = {}
        for place, key in ipairs(KEYS) do
          local mine = ARGV[place + 2] .. ' ' .. ARGV[1]
          local lease = redis.call('GET', key)
          if lease and lease ~= mine then
            answers[place] = 0
          elseif lease then
            -- Not set anew, which a server that is full refuses.
            redis.call('PEXPIRE', key, ARGV[2])
            answers[place] = 1
          else
            redis.call('SET', key, mine, 'PX', ARGV[2])
            answers[place] = 1
          end
        end
        return answers
        """)

    /// Tells waiting nodes whether a rendition can be found in the shared tier.
    ///
    /// Keys: wishes. Arguments: channel, name, the message (made or unshared).
    static let announce = RedisScript(
        """
        local isTold = false
        for _, wish in ipairs(redis.call('HKEYS', KEYS[1])) do
          if string.match(wish, '^(%S+)') == ARGV[2] then
            redis.call('HDEL', KEYS[1], wish)
            isTold = true
          end
        end
        if isTold then redis.call('PUBLISH', ARGV[1], ARGV[3] .. ' ' .. ARGV[2]) end
        """)

    /// Withdraws a request.
    ///
    /// Keys: wishes. Arguments: channel, name, node.
    static let withdraw = RedisScript(
        """
        if redis.call('HDEL', KEYS[1], ARGV[2] .. ' ' .. ARGV[3]) == 0 then return end
        for _, wish in ipairs(redis.call('HKEYS', KEYS[1])) do
          if string.match(wish, '^(%S+)') == ARGV[2] then return end
        end
        redis.call('PUBLISH', ARGV[1], 'unwanted ' .. ARGV[2])
        """)
}
