import Glibc

/// An address and a port, or the path of a Unix socket, as the kernel represents them.
public struct HostAddress: Hashable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    public let family: Int32
    private let bytes: [UInt8]

    init(_ found: addrinfo) {
        family = found.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: found.ai_addr, count: Int(found.ai_addrlen)))
    }

    /// The address of a Unix socket; nil if the path is empty or longer than the system allows (107 bytes).
    public init?(socketPath: String) {
        var address = sockaddr_un()
        let path = Array(socketPath.utf8)
        guard !path.isEmpty, !path.contains(0), path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        family = AF_UNIX
        bytes = withUnsafeBytes(of: address) { Array($0) }
    }

    /// `connect(2)` to this address. Returns what the system call returns.
    public func connect(_ socket: Int32) -> Int32 {
        bytes.withUnsafeBytes {
            Glibc.connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }

    /// The address in numeric form, without the port; nil if the C library cannot format it.
    public var digits: String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = bytes.withUnsafeBytes {
            getnameinfo(
                $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count), &text,
                socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// All addresses of a host, the best first (RFC 6724); empty for an unknown host. Blocks while looking up a name,
    /// unless the flags include `AI_NUMERICHOST`.
    public static func resolve(_ host: String, _ port: UInt16, flags: Int32) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        let entries = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
        return entries.compactMap { $0.map { HostAddress($0.pointee) } }
    }
}
