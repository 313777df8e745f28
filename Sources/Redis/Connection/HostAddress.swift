import Glibc

/// An address and a port, as the kernel has them.
struct HostAddress: Hashable, Sendable {
    let family: Int32
    private let bytes: [UInt8]

    init(_ found: addrinfo) {
        family = found.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: found.ai_addr, count: Int(found.ai_addrlen)))
    }

    /// As `connect(2)`.
    func connect(_ socket: Int32) -> Int32 {
        bytes.withUnsafeBytes {
            Glibc.connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }

    /// All addresses of a host, the best first (RFC 6724); none for what is unknown. Blocks while a name is looked up,
    /// unless the flags have `AI_NUMERICHOST`.
    static func resolve(_ host: String, _ port: UInt16, flags: Int32) -> [HostAddress] {
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
