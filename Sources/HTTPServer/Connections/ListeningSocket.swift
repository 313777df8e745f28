import CLinux
import Glibc

extension SocketAddress {
    /// Nil for a family other than IPv4 and IPv6.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            self = withUnsafeBytes(of: &storage) { bytes in
                let address = bytes.loadUnaligned(as: sockaddr_in.self)
                return SocketAddress(
                    ip: .v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
            }
        case AF_INET6:
            self = withUnsafeBytes(of: &storage) { bytes in
                let address = bytes.loadUnaligned(as: sockaddr_in6.self)
                let (high, low) = withUnsafeBytes(of: address.sin6_addr) { words in
                    (words.loadUnaligned(as: UInt64.self), words.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                }
                return SocketAddress(
                    ip: .v6(UInt64(bigEndian: high), UInt64(bigEndian: low), zone: address.sin6_scope_id),
                    port: UInt16(bigEndian: address.sin6_port))
            }
        default: return nil
        }
    }

    /// Calls `body` with the address in the kernel's representation.
    func withKernelAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length: Int
        switch ip {
        case .v4(let value):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = value.bigEndian
            length = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        case .v6(let high, let low, let zone):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = zone
            withUnsafeMutableBytes(of: &address.sin6_addr) { words in
                words.storeBytes(of: high.bigEndian, as: UInt64.self)
                words.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            length = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        }
        return withUnsafePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }

    /// The first address of a host. Blocks while looking up a name.
    static func resolve(host: String, port: UInt16) throws(ServerError) -> SocketAddress {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw .unknownHost(host, reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next {
            var storage = sockaddr_storage()
            memcpy(
                &storage, entry.pointee.ai_addr, min(Int(entry.pointee.ai_addrlen), MemoryLayout.size(ofValue: storage))
            )
            if var address = SocketAddress(storage) {
                address.port = port
                return address
            }
            next = entry.pointee.ai_next
        }
        throw .unknownHost(host, reason: "it has neither an IPv4 nor an IPv6 address")
    }
}

/// Opens a server's listening sockets: one per loop, all on one port, so that the kernel distributes the connections
/// (`SO_REUSEPORT`).
enum ListeningSockets {
    /// Returns the sockets and the address they are bound to. If it throws, none is left open.
    static func open(
        _ count: Int, at address: SocketAddress, _ configuration: HTTPServer.Configuration
    ) throws(ServerError) -> (sockets: [Int32], bound: SocketAddress) {
        if address.port != 0 {
            // SO_REUSEPORT would let two servers of the same user share a port unnoticed. A socket without it detects
            // that.
            close(try open(at: address, sharesPort: false, configuration))
        }
        var sockets: [Int32] = []
        var bound = address
        do throws(ServerError) {
            for _ in 0..<count {
                let socket = try open(at: bound, sharesPort: true, configuration)
                sockets.append(socket)
                bound = localAddress(of: socket) ?? bound
                guard listen(socket, configuration.backlog) == 0 else {
                    throw .cannotListen(bound, code: errno)
                }
            }
        } catch {
            for socket in sockets { close(socket) }
            throw error
        }
        return (sockets, bound)
    }

    private static func open(
        at address: SocketAddress, sharesPort: Bool, _ configuration: HTTPServer.Configuration
    ) throws(ServerError) -> Int32 {
        let family = if case .v4 = address.ip { AF_INET } else { AF_INET6 }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(family, type, 0)
        guard socket >= 0 else { throw .cannotListen(address, code: errno) }
        set(socket, SOL_SOCKET, SO_REUSEADDR, 1)
        if sharesPort { set(socket, SOL_SOCKET, SO_REUSEPORT, 1) }
        if family == AF_INET6 { set(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        // Accepted sockets inherit these options.
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(clamping: configuration.unsentLowWater))
        guard address.withKernelAddress({ bind(socket, $0, $1) }) == 0 else {
            let code = errno
            close(socket)
            throw code == EADDRINUSE ? .portInUse(address) : .cannotListen(address, code: code)
        }
        return socket
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func localAddress(of socket: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }
}
