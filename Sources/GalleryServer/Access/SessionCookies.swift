import Accounts
import HTTPServer
import HTTPTypes

/// The cookies of a signed-in browser (RFC 6265): that of the session, and one that shows at a later sign-in that this
/// browser is known.
///
/// Browsers share cookies between the ports of a host, so the names contain the installation. Where the page uses TLS, they
/// begin with `__Host-` or `__Secure-` (RFC 6265bis §4.1.3): then a page without TLS cannot set them, and with `__Host-`
/// a page of a subdomain cannot, either.
struct SessionCookies: Sendable {
    private let installation: String
    private let basePath: String

    /// How long a browser keeps them, in seconds; the server may end a session earlier.
    private static let lifetime = 365 * 86_400
    /// How many cookies of one name in a request the server checks at most.
    private static let maximumCount = 4

    init(secret: InstallationSecret, basePath: String) {
        let digits = String(secret.key(for: "cookie names").0 >> 32, radix: 36)
        installation = digits
        self.basePath = basePath
    }

    var hasOriginToItself: Bool { basePath.isEmpty }

    /// `__Host-` requires the path of the whole host.
    private func name(_ word: String, isSecure: Bool) -> String {
        let prefix = basePath.isEmpty && word != "pass" ? "__Host-" : "__Secure-"
        return (isSecure ? prefix : "") + "tessera-\(word)-\(installation)"
    }

    /// The secrets of sessions that a request carries, those set with TLS first.
    func secrets(in request: Request) -> [String] { values(of: "session", in: request) }

    /// What shows that the browser is known.
    func browser(in request: Request) -> String? { values(of: "browser", in: request).first }

    /// What shows that the password of a share was right. The path says which share.
    func pass(in request: Request) -> String? { values(of: "pass", in: request).first }

    /// What shows that the browser has begun a sign-in with an OpenID provider.
    func signIns(in request: Request) -> [OpenIDSignIn.Cookie] {
        [true, false].flatMap { isSecure in
            values(of: "sign-in", isSecure: isSecure, in: request).map { .init(text: $0, isSecure: isSecure) }
        }
    }

    /// The field that keeps it in the browser, or removes it.
    ///
    /// - Parameter cookie: Nil to remove it.
    func field(signIn cookie: String?, for request: Request) -> HTTPFields {
        var fields = HTTPFields()
        add("sign-in", cookie ?? "", cookie == nil ? 0 : OpenIDSignIn.cookieLifetime, request, to: &fields)
        return fields
    }

    /// The field that keeps the proof in the browser, for this share alone.
    func field(pass: String, key: String, for request: Request) -> HTTPFields {
        var fields = HTTPFields()
        add("pass", pass, Self.passLifetime, request, below: SharePaths.start + key + "/", to: &fields)
        return fields
    }

    private static let passLifetime = 30 * 86_400

    /// Those set with TLS first.
    private func values(of word: String, in request: Request) -> [String] {
        let found = [true, false].flatMap { values(of: word, isSecure: $0, in: request) }
        return Array(found.prefix(Self.maximumCount))
    }

    private func values(of word: String, isSecure: Bool, in request: Request) -> [String] {
        let start = name(word, isSecure: isSecure) + "="
        var found: [String] = []
        for field in request.headers.values(of: .cookie) {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                if pair.hasPrefix(start), found.count < Self.maximumCount {
                    found.append(String(pair.dropFirst(start.count)))
                }
            }
        }
        return found
    }

    /// The fields that give a browser its cookies.
    ///
    /// - Parameter browser: Nil to leave that cookie as it is.
    func fields(session: Secret, browser: String?, for request: Request) -> HTTPFields {
        var fields = HTTPFields()
        add("session", session.text, Self.lifetime, request, to: &fields)
        if let browser { add("browser", browser, Self.lifetime, request, to: &fields) }
        return fields
    }

    /// The fields that end a session in its browser.
    func clearing(for request: Request) -> HTTPFields {
        var fields = HTTPFields()
        add("session", "", 0, request, to: &fields)
        return fields
    }

    private func add(
        _ word: String, _ value: String, _ lifetime: Int, _ request: Request, below path: String = "/",
        to fields: inout HTTPFields
    ) {
        let isSecure = usesTLS(request)
        let path = basePath + path
        let secure = isSecure ? "; Secure" : ""
        fields.append(
            HTTPField(
                name: .setCookie,
                value: "\(name(word, isSecure: isSecure))=\(value); Path=\(path); Max-Age=\(lifetime); HttpOnly"
                    + "; SameSite=Lax\(secure)"))
    }

    /// Whether the browser reaches the gallery by TLS, which ends at a proxy: browsers say so in `Origin` with each POST,
    /// and by sending a cookie that was set with TLS; trusted proxies say so in `X-Forwarded-Proto`.
    private func usesTLS(_ request: Request) -> Bool {
        if let origin = request.headers[.origin] { return origin.hasPrefix("https://") }
        let secure = ["session", "sign-in"].map { name($0, isSecure: true) + "=" }
        if request.headers.values(of: .cookie).contains(where: { field in secure.contains { field.contains($0) } }) {
            return true
        }
        return request.isFromProxy && request.headers[.xForwardedProto]?.lowercased() == "https"
    }
}

extension HTTPField.Name {
    static let xForwardedProto = Self("X-Forwarded-Proto")!
}
