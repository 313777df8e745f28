import HTTPTypes

extension Reply {
    /// A reply whose answer is changed on its way to this one: for a responder that answers through another. When the
    /// client goes, both know. The headers of an answer with a ``PreparedHead`` are those that go out beside it.
    public func relaying(_ change: @escaping @Sendable (Response) -> Response) -> Reply {
        let relayed = Reply(loop: loop, sink: Relay(reply: self, change: change), number: 0)
        onDisconnect { [weak relayed] in relayed?.abandon() }
        return relayed
    }
}

/// Hands an answer on.
private final class Relay: Reply.Sink {
    private let reply: Reply
    private let change: @Sendable (Response) -> Response

    init(reply: Reply, change: @escaping @Sendable (Response) -> Response) {
        self.reply = reply
        self.change = change
    }

    func take(_ response: Response, number: UInt64) {
        var changed = change(response)
        if let instead = changed.instead { changed.instead = { [change] in instead().map(change) } }
        reply.send(changed)
    }

    func wasDropped(number: UInt64) { reply.send(change(Problem(.internalServerError).response)) }
}
