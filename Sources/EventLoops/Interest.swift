import CLinux

/// What a descriptor is watched for.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes to read, or a connection to accept. The peer's end of sending is reported with it.
    public static let read = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
    /// Room to write.
    public static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// Report a change once, instead of for as long as it lasts. Whoever sets it reads and writes until `EAGAIN`.
    public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
}

/// What has happened to a descriptor.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes to read, a connection to accept, or the end of the stream.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer will send no more. It may still read.
    public static let peerFinished = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed.
    public static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has failed, for instance by the peer's reset.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}

/// Somebody who watches a descriptor on an ``EventLoop``.
public protocol EventHandler: AnyObject {
    /// Called on the loop. May watch, rewatch and unwatch any descriptor, its own too.
    func descriptorIsReady(_ events: Readiness)
}
