import Accounts
import Origins

/// Connects the accounts to an OpenID provider through libcurl. The accounts and the fetcher don't know each other.
struct ProviderAccess: ProviderFetching {
    let origins: OriginFetcher

    /// Somebody waits for the answer, and up to four requests make up a sign-in.
    private static let timeout = Duration.seconds(5)
    /// In bytes; a provider's documents are far shorter.
    private static let longestAnswer = 256 << 10

    func send(_ request: ProviderRequest) async throws(ProviderUnreachable) -> ProviderResponse {
        let fields = ["Accept: application/json"] + (request.authorization.map { ["Authorization: \($0)"] } ?? [])
        do throws(ServiceUnreachable) {
            let response = try await origins.send(
                ServiceRequest(url: request.url, fields: fields, form: request.form), timeout: Self.timeout,
                longestAnswer: Self.longestAnswer)
            return ProviderResponse(status: response.status, body: response.body)
        } catch {
            throw ProviderUnreachable(reason: error.reason)
        }
    }
}
