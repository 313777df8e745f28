import Clients

/// The short way: what is asked for plainly and known at once goes out without waiting in line.
extension Connection {
    /// Whether the request has its answer, or all of it that the socket takes now.
    func answerOnTheSpot(
        _ head: RequestHead, number: UInt64, _ context: ResponseEncoder.Context, of client: Client
    ) -> Bool {
        guard exchanges.isEmpty, !isAnswering, output.isEmpty, !isBlocked, receiving == nil, !peerHasFinished,
            !shard.isStopping, let request = PlainRequest(head),
            let answer = shard.responder.answerOnTheSpot(to: request, from: client), !answer.head.closes
        else { return false }
        shard.encoder.encode(answer, to: &output.first)
        output.second = answer.body
        let outcome = output.write(to: socket)
        guard outcome != .complete else {
            output.clear()
            waitsSince = shard.now()
            return true
        }
        // What is left goes the way of all answers.
        exchanges.append(Exchange(number: number, context: context, client: client))
        isAnswering = true
        livesOn = true
        settle(outcome)
        return true
    }
}
