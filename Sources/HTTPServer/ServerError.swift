import Glibc

/// Why a server could not start.
public enum ServerError: Error, Hashable, CustomStringConvertible {
    /// The configuration asks for what cannot be.
    case invalidConfiguration(String)
    /// Nobody knows the host, or it has no address here.
    case unknownHost(String, reason: String)
    /// Another program listens on the port.
    case portInUse(SocketAddress)
    /// The kernel refused to listen there, with this error number.
    case cannotListen(SocketAddress, code: Int32)
    /// It was started before.
    case alreadyStarted

    public var description: String {
        switch self {
        case .invalidConfiguration(let message): "the server's configuration is wrong: \(message)"
        case .unknownHost(let host, let reason): "no address for the host \(host): \(reason)"
        case .portInUse(let address): "another program listens on \(address)"
        case .cannotListen(let address, let code): "cannot listen on \(address): \(String(cString: strerror(code)))"
        case .alreadyStarted: "the server was started before"
        }
    }
}
