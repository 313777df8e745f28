import Glibc

/// Why a server could not start.
public enum ServerError: Error, Hashable, CustomStringConvertible {
    /// A value of the configuration is out of range.
    case invalidConfiguration(String)
    /// The host is unknown, or is not an address of this machine.
    case unknownHost(String, reason: String)
    /// Another program is listening on the port.
    case portInUse(SocketAddress)
    /// The kernel refused to listen there, with this error number.
    case cannotListen(SocketAddress, code: Int32)
    /// The server has been started before.
    case alreadyStarted

    public var description: String {
        switch self {
        case .invalidConfiguration(let message): "the server's configuration is invalid: \(message)"
        case .unknownHost(let host, let reason): "no address for the host \(host): \(reason)"
        case .portInUse(let address): "another program listens on \(address)"
        case .cannotListen(let address, let code): "cannot listen on \(address): \(String(cString: strerror(code)))"
        case .alreadyStarted: "the server has already been started"
        }
    }
}
