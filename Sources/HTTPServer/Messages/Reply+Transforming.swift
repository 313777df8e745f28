import HTTPTypes

extension Reply {
    /// A reply whose response is changed on its way to this one, for a responder that wraps another. When the client
    /// disconnects, both learn of it. For a response with a ``PreparedHead``, the headers are only those sent in
    /// addition to it.
    public func transforming(_ change: @escaping @Sendable (Response) -> Response) -> Reply {
        let transformed = Reply(loop: loop, sink: ResponseTransform(reply: self, change: change), number: 0)
        onDisconnect { [weak transformed] in transformed?.abandon() }
        return transformed
    }
}

/// Passes a changed response on.
private final class ResponseTransform: Reply.Sink {
    private let reply: Reply
    private let change: @Sendable (Response) -> Response

    init(reply: Reply, change: @escaping @Sendable (Response) -> Response) {
        self.reply = reply
        self.change = change
    }

    func matched(_ route: String, number: UInt64) { reply.matched(route) }

    func take(_ response: Response, number: UInt64) {
        var changed = change(response)
        if let instead = changed.instead { changed.instead = { [change] in instead().map(change) } }
        reply.send(changed)
    }

    func wasDropped(number: UInt64) { reply.send(change(Problem(.internalServerError).response)) }
}
