import Addresses
import Clients
import Glibc
import HTTPServer
import HTTPTypes
import Locking

/// Which host names this server answers to.
///
/// A gallery that listens on loopback is meant only for this machine. A web page elsewhere can make a name of its own
/// resolve to 127.0.0.1 (DNS rebinding), and could then read the gallery like one of its own pages. But it can't
/// choose the `Host` that the browser sends, so the server rejects unknown names. A server that listens on the
/// network was opened on purpose and is reached by names that it cannot know, so it accepts every name.
struct HostPolicy: Sendable {
    private let isOpen: Bool
    private let names: Set<String>

    /// - Parameters:
    ///   - listeningOn: The address or name that the server listens on.
    ///   - allowed: Further names to accept.
    init(listeningOn host: String, allowed: [String]) {
        isOpen = !Self.reachesOnlyThisMachine(host)
        names = Set((allowed + [host, "localhost", "127.0.0.1"]).map { $0.lowercased() })
    }

    /// Whether a server that listens on this address or name can be reached from this machine only. Blocks while looking
    /// up a name.
    static func reachesOnlyThisMachine(_ host: String) -> Bool { isLoopback(address(of: host) ?? host.lowercased()) }

    /// Whether to answer a request for this authority (RFC 9110 §7.2), which HTTP/1.0 may omit.
    func admits(_ authority: String?) -> Bool {
        guard !isOpen, let authority else { return true }
        guard let authority = Authority(authority) else { return false }
        return names.contains(authority.host) || Self.isLoopback(authority.host)
    }

    /// The address of a host in canonical form: `127.1` and the machine's own name may be loopback addresses, too.
    /// Blocks while looking up a name.
    private static func address(of host: String) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            found.pointee.ai_addr, found.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a host, without brackets, is `localhost` or a loopback address.
    private static func isLoopback(_ host: String) -> Bool {
        // Anything but an address in canonical form is a name, whatever it looks like.
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}

/// Wraps another responder, and rejects requests for names other than the server's own.
struct HostGuard: Responder {
    let policy: HostPolicy
    let inner: any Responder
    /// The last authority that was accepted, as received: nearly all requests have the same.
    private let admitted = Guarded<[UInt8]?>(nil)

    init(policy: HostPolicy, inner: any Responder) {
        self.policy = policy
        self.inner = inner
    }

    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        let isAdmitted = request.withAuthority { authority in
            guard let authority else { return policy.admits(nil) }
            if admitted.withLock({ $0?.elementsEqual(authority) == true }) { return true }
            guard policy.admits(String(decoding: authority, as: UTF8.self)) else { return false }
            admitted.withLock { $0 = Array(authority) }
            return true
        }
        return isAdmitted ? inner.respondImmediately(to: request, from: client) : nil
    }

    func respond(to request: Request, reply: Reply) {
        guard policy.admits(request.authority) else {
            reply.send(
                Problem(
                    .misdirectedRequest, title: "This server does not answer to that name",
                    detail: "It listens on loopback and answers to localhost. Start it with --allow-host to add a name."
                ).response)
            return
        }
        inner.respond(to: request, reply: reply)
    }
}
