/// One step of a fetch, as the caller sees it.
public enum OriginEvent: Sendable {
    /// The origin answered with the picture; its bytes follow from the first on. It comes again if the connection was
    /// lost and the rest could not be had: what was delivered before is then void, and bytes start anew from 0.
    case started(OriginHead)
    /// The next bytes, in order.
    case bytes([UInt8])
    /// The end: what the request's validators name is still current (RFC 9110 §15.4.5). The head's freshness is new.
    case notModified(OriginHead)
    /// The end: every byte was delivered.
    case finished
    /// The end: the picture cannot be had, retries included.
    case failed(OriginError)
}
