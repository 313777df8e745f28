import HTTPTypes

/// Counts waiting responses, so that clients that send requests and don't read the responses cannot exhaust memory.
/// Responses that could be written at once aren't counted and so cost no lock.
extension Connection {
    /// Smaller responses are not counted: the head of a request takes as much.
    private static let leastHeldBytes = 1_024

    /// Counts the response to request `number` if it has to wait. If there is no room for it, it is dropped, and the
    /// client is told to retry.
    func holdResponse(to number: UInt64) {
        guard phase == .open, let index = index(of: number), let response = exchanges[index].response,
            !count(response.body.heldBytes, at: index)
        else { return }
        exchanges[index].response = Self.noRoom.response
        if heldBack == number { heldBack = nil }
        response.abandon(.aborted)
    }

    private static let noRoom = Problem(
        .serviceUnavailable, detail: "Too many responses are waiting to be read.", headers: [.retryAfter: "1"])

    /// Counts the current response, which the client is not reading. If there is no room for it, resets the
    /// connection: part of the response has been sent, so nothing else can follow.
    func holdCurrentResponse() {
        guard isAnswering, let first = exchanges.first, first.countedBytes == 0 else { return }
        let bytes = max(output.second.count, sending?.stream.heldBytes ?? 0)
        if !count(bytes, at: 0) { tearDown(.aborted, resets: true) }
    }

    private func count(_ bytes: Int, at index: Int) -> Bool {
        guard bytes >= Self.leastHeldBytes, let client = exchanges[index].client else { return true }
        guard shard.responseBudget.take(bytes, of: client) else { return false }
        exchanges[index].countedBytes = bytes
        return true
    }

    /// The response of `exchange` no longer waits.
    func giveBack(_ exchange: Exchange) {
        guard exchange.countedBytes > 0, let client = exchange.client else { return }
        shard.responseBudget.giveBack(exchange.countedBytes, by: client)
    }

    /// The response at `index` is about to be replaced.
    func forgetHeld(at index: Int) {
        giveBack(exchanges[index])
        exchanges[index].countedBytes = 0
    }
}
