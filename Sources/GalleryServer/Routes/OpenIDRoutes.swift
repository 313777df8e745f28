import Accounts
import Encodings
import HTTPServer
import HTTPTypes

/// Signing in with an OpenID provider: the browser goes there, and comes back with a response.
struct OpenIDRoutes {
    /// Nil if no provider signs people in.
    let openID: OpenIDSignIn?
    let cookies: SessionCookies
    let crossOrigin: CrossOriginPolicy
    let basePath: String

    private static let callback = "/api/v1/session/oidc/callback"

    func add(to router: inout Router) {
        router.post("/api/v1/session/oidc", for: .entrance, begin)
        router.get(Self.callback, for: .entrance, complete)
    }

    /// Begins a sign-in. A POST, because then the browser says which web origin the page has, and no other site's page can
    /// begin one.
    @Sendable private func begin(_ request: Request) async throws -> Response {
        guard let openID else { throw Problem.noProvider }
        let redirectURI = try request.ownPageOrigin(crossOrigin) + basePath + Self.callback
        let body = try await read(ProviderSignInBody.self, from: request)
        let begun: OpenIDSignIn.AuthorizationRequest
        do throws(OpenIDError) {
            begun = try await openID.begin(redirectURI: redirectURI, returnTo: body.returnTo)
        } catch {
            throw Problem(error, at: openID)
        }
        var response = try await unshared(request, AuthorizationRequestBody(url: begun.url))
        response.headers.append(contentsOf: cookies.field(signIn: begun.cookie, for: request))
        return response
    }

    /// The provider sends the browser here. Each response to a sign-in of this browser ends it, whether it succeeds or not.
    @Sendable private func complete(_ request: Request) async throws -> Response {
        guard let openID else { throw Problem.noProvider }
        var response: Response
        do throws(OpenIDError) {
            let query = request.query
            let completed = try await openID.complete(
                OpenIDSignIn.AuthorizationResponse { query.values(of: $0) }, cookies: cookies.signIns(in: request),
                from: request.sender)
            response = Response(
                status: .seeOther,
                headers: [
                    .location: "\(basePath)/\(AccountPage.entered(completed.returnTo))", .cacheControl: "no-store",
                ])
            response.headers.append(
                contentsOf: cookies.fields(
                    session: completed.signedIn.session, browser: completed.signedIn.browser, for: request))
        } catch {
            response = refusal(of: error, at: openID, for: request)
            // Any site can send a browser here: that ends no sign-in in progress.
            if error.reason == .unknownOrExpired { return response }
        }
        response.headers.append(contentsOf: cookies.field(signIn: nil, for: request))
        // The address contains the code.
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }

    /// For browsers a page that leads back to the sign-in page, which says what happened.
    private func refusal(of error: OpenIDError, at openID: OpenIDSignIn, for request: Request) -> Response {
        let problem = Problem(error, at: openID)
        guard request.headers[.accept]?.contains("text/html") == true else { return problem.response }
        // None of these texts contains a character that means something in HTML.
        let address = "\(basePath)/\(AccountPage.refused(error.reason))"
        var response = Response(
            status: problem.status,
            text: """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <meta http-equiv="refresh" content="0; url=\(address)">
                <title>Tessera</title>
                <p>You could not be signed in. <a href="\(address)">Back to the sign-in page</a></p>
                </html>

                """, mediaType: "text/html; charset=utf-8")
        response.headers.append(contentsOf: problem.headers)
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension Problem {
    fileprivate static let noProvider = Problem(
        .notFound, title: "No OpenID provider", detail: "This gallery has no OpenID provider.")

    fileprivate init(_ error: OpenIDError, at openID: OpenIDSignIn) {
        self =
            switch error.reason {
            case .unknownOrExpired:
                Problem(
                    .badRequest, title: "The sign-in has expired",
                    detail: "This browser did not start the sign-in, or did so more than ten minutes ago. Start again.")
            case .denied:
                Problem(.forbidden, title: "The sign-in was cancelled", detail: "\(openID.name) did not sign you in.")
            case .notAdmitted:
                Problem(
                    .forbidden, title: "Not admitted",
                    detail: "You are not in a group whose members may use this gallery.")
            case .invalidResponse:
                Problem(
                    .forbidden, title: "The sign-in could not be verified",
                    detail: "The response of \(openID.name) could not be verified. The server's log says why.")
            case .unavailable:
                Problem(
                    .serviceUnavailable, title: "The sign-in service is not available",
                    detail: "\(openID.name) cannot be used at the moment. The server's log says why.",
                    headers: [.retryAfter: "5"])
            case .account(let error): Problem(error)
            }
    }
}
