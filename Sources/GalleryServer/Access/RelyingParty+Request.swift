import Accounts
import Addresses
import HTTPServer
import HTTPTypes

extension RelyingParty {
    /// The site whose page sends a request. Browsers send the page's `Origin` with each POST.
    ///
    /// - Throws: A `Problem` for a page of another site, and for one where browsers offer no passkeys.
    init(_ request: Request, _ crossOrigin: CrossOriginPolicy) throws(Problem) {
        let origin = try request.ownPageOrigin(crossOrigin)
        guard let host = request.authority.flatMap(Authority.init) else { throw .notFromOwnPage }
        guard !host.isLiteral, IPAddress(host.host) == nil else { throw .noHostName }
        // Elsewhere, pages without TLS have no passkeys (Secure Contexts §3.1), so a browser has sent no such origin.
        guard origin.hasPrefix("https://") || host.host == "localhost" || host.host.hasSuffix(".localhost") else {
            throw .notSecure
        }
        self.init(id: host.host, origin: origin)
    }
}

extension Request {
    /// The web origin of the gallery's page, which sends the request. Browsers send the page's `Origin` with each POST.
    ///
    /// - Throws: A `Problem` for a page of another site.
    func ownPageOrigin(_ crossOrigin: CrossOriginPolicy) throws(Problem) -> String {
        guard let origin = headers[.origin], crossOrigin.isSame(origin, as: authority) else { throw .notFromOwnPage }
        return origin
    }
}

extension Problem {
    fileprivate static let notFromOwnPage = Problem(
        .badRequest, title: "Not from the gallery's page",
        detail: "This works from the gallery's own page. A proxy must pass on the Host and Origin that it receives.")
    fileprivate static let noHostName = Problem(
        .badRequest, title: "Passkeys need a host name",
        detail: "Browsers have no passkeys for IP addresses. Open the gallery by a host name.")
    fileprivate static let notSecure = Problem(
        .badRequest, title: "Passkeys need HTTPS", detail: "Open the gallery with HTTPS to use passkeys.")
}
