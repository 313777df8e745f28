/// Why a command failed.
public enum RedisError: Error, Hashable, Sendable {
    /// There is no connection, so nothing was sent.
    case disconnected
    /// The connection ended before the reply arrived. Whether the command was executed is unknown.
    case closed
    /// The reply did not arrive in time. The command may have been executed all the same.
    case timedOut
    /// The queue is full, so the command was not sent.
    case overloaded
    /// The server replied with this error, for the log.
    case refused(String)
}
