import Clients

/// The fast path: a simple request whose response is known at once is answered without queueing.
extension Connection {
    /// Whether the response has been written, at least as far as the socket accepts it now.
    func respondImmediately(
        _ head: RequestHead, number: UInt64, _ context: ResponseEncoder.Context, of client: Client
    ) -> Bool {
        guard exchanges.isEmpty, !isAnswering, output.isEmpty, !isBlocked, receiving == nil, !peerHasFinished,
            !shard.isStopping, let request = PlainRequest(head),
            let answer = shard.responder.respondImmediately(to: request, from: client), !answer.head.closes
        else { return false }
        shard.encoder.encode(answer, to: &output.first)
        output.second = answer.body
        let outcome = output.write(to: socket)
        guard outcome != .complete else {
            output.clear()
            waitsSince = shard.now()
            return true
        }
        // The remainder is written like any other response.
        exchanges.append(Exchange(number: number, context: context, client: client))
        isAnswering = true
        livesOn = true
        settle(outcome)
        return true
    }
}
