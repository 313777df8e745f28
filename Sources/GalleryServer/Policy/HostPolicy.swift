import Addresses
import Clients
import Glibc
import HTTPServer
import HTTPTypes
import Locking

/// Which names this server answers to.
///
/// A gallery that listens on loopback is meant for this machine alone. A web page elsewhere can have a name of its own
/// resolve to 127.0.0.1 (DNS rebinding) and would then read the gallery as if it were its own; but it cannot choose the
/// `Host` that its visitor's browser sends, so a name that is not ours is refused. A server that listens on the network
/// was opened on purpose and is reached by names that it cannot know: there every name is answered.
struct HostPolicy: Sendable {
    private let isOpen: Bool
    private let names: Set<String>

    /// - Parameters:
    ///   - listeningOn: the address or name that the server listens on.
    ///   - allowed: further names to answer to.
    init(listeningOn host: String, allowed: [String]) {
        isOpen = !Self.isLoopback(Self.address(of: host) ?? host.lowercased())
        names = Set((allowed + [host, "localhost", "127.0.0.1"]).map { $0.lowercased() })
    }

    /// Whether a request for this authority (RFC 9110 §7.2) is answered. HTTP/1.0 may have none.
    func admits(_ authority: String?) -> Bool {
        guard !isOpen, let authority else { return true }
        guard let authority = Authority(authority) else { return false }
        return names.contains(authority.host) || Self.isLoopback(authority.host)
    }

    /// The address that a host stands for, in its usual writing: `127.1` and the machine's own name may be loopback, too.
    /// Blocks while a name is looked up.
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

    /// Whether a host, without brackets, is `localhost` or an address that leads nowhere else.
    private static func isLoopback(_ host: String) -> Bool {
        // What is no address in the usual writing is a name, whatever it looks like.
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}

/// Answers through another responder, but only under the server's own names.
struct HostGuard: Responder {
    let policy: HostPolicy
    let inner: any Responder
    /// What was admitted last, as it came: nearly all requests bear the same.
    private let admitted = Guarded<[UInt8]?>(nil)

    init(policy: HostPolicy, inner: any Responder) {
        self.policy = policy
        self.inner = inner
    }

    func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot? {
        let isAdmitted = request.withAuthority { authority in
            guard let authority else { return policy.admits(nil) }
            if admitted.withLock({ $0?.elementsEqual(authority) == true }) { return true }
            guard policy.admits(String(decoding: authority, as: UTF8.self)) else { return false }
            admitted.withLock { $0 = Array(authority) }
            return true
        }
        return isAdmitted ? inner.answerOnTheSpot(to: request, from: client) : nil
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
