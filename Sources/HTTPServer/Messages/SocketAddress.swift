import Glibc

/// The address and port of one end of a connection.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IP address.
    public enum IP: Hashable, Sendable {
        /// In host byte order.
        case v4(UInt32)
        /// The halves of the address in host byte order, and the zone of a link-local address.
        case v6(UInt64, UInt64, zone: UInt32)
    }

    /// The IP address.
    public var ip: IP
    /// The TCP port.
    public var port: UInt16

    public init(ip: IP, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// The address without its port in text form: `127.0.0.1`, `::1`.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch ip {
        case .v4(let value):
            var address = in_addr(s_addr: value.bigEndian)
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .v6(let high, let low, _):
            var words = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &words, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The form used in URLs: `127.0.0.1:8080`, `[::1]:8080`.
    public var description: String {
        switch ip {
        case .v4: "\(host):\(port)"
        case .v6: "[\(host)]:\(port)"
        }
    }
}
