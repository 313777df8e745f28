/// One step of a fetch.
public enum OriginEvent: Sendable {
    /// The origin responded with the image; its bytes follow from the first one. Sent again if the connection was lost
    /// and the rest is unavailable: discard all bytes received before, they start again from 0.
    case started(OriginHead)
    /// The next bytes, in order.
    case bytes([UInt8])
    /// The prefix has arrived. The fetch is parked until ``OriginFetch/fetchRest()``.
    case parked
    /// The end: the version that the request's validators name is still current (RFC 9110 §15.4.5). The head's
    /// freshness is new.
    case notModified(OriginHead)
    /// The end: all bytes have been delivered.
    case finished
    /// The end: the image could not be fetched, including retries.
    case failed(OriginError)
}
