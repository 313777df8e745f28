import HTTPTypes

/// Answers that wait are counted, so that who asks and does not read cannot fill the memory. Only those that could not
/// be written at once: what goes straight to the kernel costs no lock.
extension Connection {
    /// Answers of fewer bytes are not counted: the head of a request weighs as much.
    private static let leastHeldBytes = 1_024

    /// Counts the answer to request `number`, if it waits for its turn. One that there is no room for is let go of, and
    /// its client told to ask again.
    func holdAnswer(to number: UInt64) {
        guard phase == .open, let index = index(of: number), let response = exchanges[index].response,
            !count(response.body.heldBytes, at: index)
        else { return }
        exchanges[index].response = Self.noRoom.response
        if heldBack == number { heldBack = nil }
        response.letGo(.aborted)
    }

    private static let noRoom = Problem(
        .serviceUnavailable, detail: "Too many answers wait to be read.", headers: [.retryAfter: "1"])

    /// Counts the answer that is being written, which the client does not take. If there is no room for it, the
    /// connection is reset: a part of it has been sent, and nothing else can follow that.
    func holdPresentAnswer() {
        guard isAnswering, let first = exchanges.first, first.countedBytes == 0 else { return }
        let bytes = max(output.second.count, sending?.stream.heldBytes ?? 0)
        if !count(bytes, at: 0) { tearDown(.aborted, resets: true) }
    }

    private func count(_ bytes: Int, at index: Int) -> Bool {
        guard bytes >= Self.leastHeldBytes, let client = exchanges[index].client else { return true }
        guard shard.answers.take(bytes, of: client) else { return false }
        exchanges[index].countedBytes = bytes
        return true
    }

    /// The answer to `exchange` waits no more.
    func giveBack(_ exchange: Exchange) {
        guard exchange.countedBytes > 0, let client = exchange.client else { return }
        shard.answers.giveBack(exchange.countedBytes, by: client)
    }

    /// Another answer takes the place of the one at `index`.
    func forgetHeld(at index: Int) {
        giveBack(exchanges[index])
        exchanges[index].countedBytes = 0
    }
}
