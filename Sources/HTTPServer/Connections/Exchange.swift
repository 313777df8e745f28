import Clients

/// One request that has come and the answer that is owed.
struct Exchange {
    /// Counts the requests of the connection.
    let number: UInt64
    /// What of the request rules how the answer is written.
    var context: ResponseEncoder.Context
    /// Whose request it is; nil for an answer to what was no request.
    var client: Client?
    /// The answer, once it is there and until it is being written.
    var response: Response?
    /// Bytes of the answer that are counted among those that wait.
    var countedBytes = 0
    /// Whoever will answer, if it was not at once.
    var owner: ReplyOwner?
    /// Whether the client waits for `100 Continue`.
    var awaitsContinue = false
    /// Whether the handler has asked for the body, so that the client may be told to go on.
    var wantsContinue = false
}

/// Knows a reply without keeping it, since a reply that everybody let go of is answered for. A box, so that an exchange
/// that is answered at once pays for no weak reference.
final class ReplyOwner {
    private weak var reply: Reply?

    init(_ reply: Reply) { self.reply = reply }

    func abandon() { reply?.abandon() }
}

/// The body of a request, while it arrives.
struct Receiving {
    let number: UInt64
    let body: RequestBody
    /// Set once nobody will read the body any more: what still comes is thrown away, to get at the next request.
    var isDiscarded = false
    var discardedBytes = 0
    var receivedBytes = 0
    var pace = BodyPace()
}

/// An answer's body, while it is written.
struct Sending {
    let stream: any BodyStream
    /// Bytes that are still owed; nil if the length is not known.
    var remaining: Int64?
    let isChunked: Bool
    /// The most bytes to pull at a time.
    let frame: Int
    /// Counts the pulls, to tell a late wake from that of the last pull.
    var pulls: UInt64 = 0
    var isWaiting = false
    /// When it had nothing to give at last, in nanoseconds of the shard's clock.
    var waitsSince: UInt64 = 0
}
