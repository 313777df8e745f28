import Clients

/// The fast path: a simple request whose response is known at once is answered without queueing.
extension Connection {
    /// Whether the response has been written, at least as far as the socket accepts it now.
    func respondImmediately(
        _ head: RequestHead, number: UInt64, _ context: ResponseEncoder.Context, of client: ClientAddress,
        _ observation: Observation
    ) -> Bool {
        guard exchanges.isEmpty, !isAnswering, output.isEmpty, !isBlocked, receiving == nil, !peerHasFinished,
            !shard.isStopping, let request = PlainRequest(head),
            let answer = shard.responder.respondImmediately(to: request, from: client), !answer.head.closes
        else { return false }
        shard.encoder.encode(answer, to: &output.first)
        output.second = answer.body
        var exchange = Exchange(number: number, context: context, client: client, observation: observation)
        exchange.observation.route = answer.route
        exchange.observation.answer(answer.head.status, bodyBytes: Int64(answer.body.count))
        let outcome = output.write(to: socket)
        guard outcome != .complete else {
            output.clear()
            waitsSince = shard.now()
            record(exchange, isComplete: true)
            return true
        }
        // The remainder is written like any other response.
        exchanges.append(exchange)
        isAnswering = true
        livesOn = true
        settle(outcome)
        return true
    }
}
