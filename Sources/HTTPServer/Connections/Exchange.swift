import Clients

/// One request, and the response that is owed.
struct Exchange {
    /// The number of the request on its connection.
    let number: UInt64
    /// The properties of the request that affect how its response is written.
    var context: ResponseEncoder.Context
    /// The client that sent the request; nil for the response to a malformed request.
    var client: ClientAddress?
    var observation = Observation()
    /// The response, from when it is available until it is being written.
    var response: Response?
    /// The bytes of the waiting response that are counted.
    var countedBytes = 0
    /// The handler's handle for a response that was not given at once.
    var owner: ReplyOwner?
    /// Whether the client waits for `100 Continue`.
    var awaitsContinue = false
    /// Whether the handler wants the body, so that the client may be told to continue.
    var wantsContinue = false
}

/// A weak reference to a reply, because a reply that everyone has released gets a 500. Boxed, so that exchanges
/// answered at once don't pay for a weak reference.
final class ReplyOwner {
    private weak var reply: Reply?

    init(_ reply: Reply) { self.reply = reply }

    func abandon() { reply?.abandon() }
}

/// The body of an arriving request.
struct Receiving {
    let number: UInt64
    let body: RequestBody
    /// Set once nobody will read the body any more: the rest is discarded to get at the next request.
    var isDiscarded = false
    var discardedBytes = 0
    var receivedBytes = 0
    var pace = BodyPace()
}

/// The body of a response that is being written.
struct Sending {
    let stream: any BodyStream
    /// The bytes still owed; nil if the length is not known.
    var remaining: Int64?
    let isChunked: Bool
    /// The most bytes to pull at a time.
    let frame: Int
    /// The number of pulls so far, which distinguishes a late wake-up from the last pull's.
    var pulls: UInt64 = 0
    var isWaiting = false
    /// Whether the head waits in `output` for the first bytes of the body.
    var holdsHead: Bool
    /// When it last had nothing to send, in nanoseconds of the shard's clock.
    var waitsSince: UInt64 = 0
}
