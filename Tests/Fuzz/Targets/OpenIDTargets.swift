import Encodings

@testable import Accounts

private let issuer = "https://id.example.org/realm"

/// The claims of an ID token, and who the person is by them. The first byte selects whether groups matter.
enum IDTokenTarget: FuzzTarget {
    private static let now: Int64 = 1_700_000_000
    private static let settings = [[], ["family", "owners"]].compactMap { groups in
        try? OpenIDSettings(
            issuer: issuer, clientID: "gallery", clientSecret: nil, name: nil, groupsClaim: "groups",
            admittedGroups: Set(groups), ownerGroups: Set(groups.suffix(1)))
    }

    static func run(_ input: [UInt8]) {
        precondition(settings.count == 2)
        guard let first = input.first else { return }
        let settings = settings[Int(first & 1)]
        let payload = Array(input.dropFirst())
        let read = Result { () throws(IDToken.Fault) in
            try IDToken(payload, issuer: issuer, clientID: "gallery", nonce: "n", now: now)
        }
        guard case .success(let token) = read else { return }
        precondition((1...IDToken.longestSubject).contains(token.subject.utf8.count))
        precondition((try? token.claims.required("iss").text()) == issuer)
        precondition((try? token.claims.required("nonce").text()) == "n")
        precondition((try? token.claims.required("exp").number()) ?? 0 > Double(now) - 61)
        _ = OpenIDPerson.isComplete(token.claims, settings)
        do throws(OpenIDError) {
            let identity = OpenIDIdentity(issuer: issuer, subject: token.subject)
            let person = try OpenIDPerson(identity, [token.claims], settings)
            precondition(person.names.allSatisfy { Account.normalized($0) == $0 }, "a name that no account may have")
            precondition((person.isOwner != nil) == settings.needsGroups)
        } catch {
            precondition(settings.needsGroups && [.notAdmitted, .invalidResponse].contains(error.reason))
        }
    }
}

/// What a provider's server returns. The first byte selects its configuration, or the response of its token endpoint with
/// one of two statuses.
enum ProviderTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let body = Array(input.dropFirst())
        do throws(OpenIDError) {
            if first % 3 == 0 {
                look(at: try ProviderMetadata(body, of: issuer))
            } else {
                look(at: try TokenResponse(ProviderResponse(status: first % 3 == 1 ? 200 : 400, body: body)))
            }
        } catch {
            precondition([.unavailable, .invalidResponse].contains(error.reason) && error.logDetail?.isEmpty == false)
        }
    }

    private static func look(at metadata: ProviderMetadata) {
        let endpoints = [metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.keysURL]
        for url in endpoints + [metadata.userInfoEndpoint].compactMap(\.self) {
            precondition(url.hasPrefix("https://") && url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
            precondition(ProviderAddress(url, from: issuer)?.host.isEmpty == false)
        }
        precondition(metadata.requestedScopes.hasPrefix("openid"))
    }

    private static func look(at response: TokenResponse) {
        precondition(response.idToken.utf8.count <= JSONWebSignature.longest)
        // It becomes a part of a header's field.
        precondition(response.accessToken?.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true)
        let form = FormEncoding.encode([("token", response.idToken)])
        precondition(form.utf8.count(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "&") }) == 1)
        let value = PercentEncoding.bytes(of: form.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst(), plusIsSpace: true)
        precondition(value == Array(response.idToken.utf8), "a form that says something else")
    }
}
