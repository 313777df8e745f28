import Dispatch
import Glibc

/// Turns a server's name into an address that can be connected to without waiting.
///
/// The C library's resolver blocks, for as long as its own limits say: it is asked on a queue of its own, one name at a
/// time. An address is told at once.
final class HostLookup: Sendable {
    private let queue = DispatchQueue(label: "tessera.redis.names")

    /// - Parameter told: Called once, on any thread; nil when there is no such name.
    func find(_ host: String, told: @escaping @Sendable (String?) -> Void) {
        if let address = Self.lookUp(host, flags: AI_NUMERICHOST) { return told(address) }
        queue.async { told(Self.lookUp(host, flags: AI_ADDRCONFIG)) }
    }

    private static func lookUp(_ host: String, flags: Int32) -> String? {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0, let first = found else { return nil }
        defer { freeaddrinfo(first) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            first.pointee.ai_addr, first.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
