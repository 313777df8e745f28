import Addresses
import CCurl
import Glibc

/// Both ends of a TCP connection. The local port alone is not enough: the kernel also gives a port to connections to
/// other peers.
struct ConnectionEndpoints: Hashable {
    private let localPort: Int
    private let peer: IPAddress
    private let peerPort: Int

    /// The connection that a transfer uses, or used last. Nil if it never had one.
    init?(easy: UnsafeMutableRawPointer) {
        var (local, port) = (0, 0)
        var address: UnsafeMutableRawPointer?
        guard ccurl_get_long(easy, CURLINFO_LOCAL_PORT, &local) == CURLE_OK, local > 0,
            ccurl_get_long(easy, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK,
            ccurl_get_pointer(easy, CURLINFO_PRIMARY_IP, &address) == CURLE_OK,
            let peer = address.flatMap({ IPAddress(String(cString: $0.assumingMemoryBound(to: CChar.self))) })
        else { return nil }
        (localPort, self.peer, peerPort) = (local, peer.unmapped, port)
    }

    /// The connection of a socket. Nil if it is not connected.
    init?(socket: Int32) {
        guard let (_, localPort) = Self.end(of: socket, getsockname),
            let (peer, peerPort) = Self.end(of: socket, getpeername)
        else { return nil }
        (self.localPort, self.peer, self.peerPort) = (localPort, peer.unmapped, peerPort)
    }

    private typealias Name = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    private static func end(of socket: Int32, _ name: Name) -> (address: IPAddress, port: Int)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let found = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> IPAddress? in
                guard name(socket, address, &length) == 0 else { return nil }
                return IPAddress(address, length: Int(length))
            }
            guard let found else { return nil }
            // The port is at the same offset in the addresses of both families.
            let port = pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_port }
            return (found, Int(UInt16(bigEndian: port)))
        }
    }
}
