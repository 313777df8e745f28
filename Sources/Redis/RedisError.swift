/// Why a command has no answer.
public enum RedisError: Error, Hashable, Sendable {
    /// There is no connection; nothing was sent.
    case away
    /// The connection ended before the answer came. Whether the command was carried out, nobody knows.
    case closed
    /// The answer did not come in time. It may have been carried out all the same.
    case timedOut
    /// So many wait already that this one was not sent.
    case crowded
    /// The server says no; its words, for the log.
    case refused(String)
}
