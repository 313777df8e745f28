import Accounts
import Origins

/// Connects the accounts to an OpenID provider through libcurl. The accounts and the fetcher don't know each other.
struct ProviderAccess: ProviderFetching {
    let origins: OriginFetcher

    /// Somebody waits for the response, and up to four requests make up a sign-in.
    private static let timeout = Duration.seconds(5)
    /// In bytes; a provider's documents are far shorter.
    private static let longestBody = 256 << 10

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        let fields = ["Accept: application/json"] + (request.authorization.map { ["Authorization: \($0)"] } ?? [])
        do throws(ServiceRequestFailure) {
            let response = try await origins.send(
                ServiceRequest(url: request.url, fields: fields, form: request.form), timeout: Self.timeout,
                longestBody: Self.longestBody)
            return ProviderResponse(status: response.status, body: response.body)
        } catch {
            throw ProviderRequestFailure(reason: error.reason)
        }
    }
}
