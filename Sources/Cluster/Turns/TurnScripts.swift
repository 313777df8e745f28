import Redis

/// The steps by which a turn is taken, kept and ended, each of them one step for all nodes.
///
/// Of a subject there are: its lease, `FENCE NODE`, which lapses unless it is renewed; its wishes, a hash from `NAME NODE`
/// to the urgency; and for a moment its failure.
enum TurnScripts {
    /// Asks for a turn.
    ///
    /// Keys: lease, wishes, fence, failure. Arguments: node, name, milliseconds of a lease, channel, milliseconds of a
    /// wish, whether it insists (1 or 0), urgency. Answers `mine FENCE`, `held MILLISECONDS` or `failed FAILURE`.
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

    /// Ends one of the loads that a node has the turn for, and with the last the turn.
    ///
    /// Keys: lease, wishes, failure. Arguments: node, fence, channel, subject, name, outcome (made, failed, gaveUp), whether
    /// it is the last (1 or 0), failure, milliseconds of a failure, milliseconds of a lease. Answers `late` where the
    /// turn has passed on, `wanted` with names and urgencies where others wait for more of it (and the node keeps the
    /// turn to make that), else `done`.
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

    /// Renews leases. What nobody has any more, for instance since the server began anew, is taken again.
    ///
    /// Keys: the leases. Arguments: node, milliseconds, and the fence of each. Answers 1 or 0 for each: whether it is
    /// the node's.
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

    /// Says of a rendition that it can be found or that it cannot, to whoever waits for it.
    ///
    /// Keys: wishes. Arguments: channel, name, what is said (made, unshared).
    static let tell = RedisScript(
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

    /// Takes a wish back.
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
