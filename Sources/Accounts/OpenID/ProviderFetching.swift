/// Sends requests to an OpenID provider. The implementation has a deadline, follows no redirects, and bounds the response.
public protocol ProviderFetching: Sendable {
    /// - Returns: The response, with any status.
    /// - Throws: ``ProviderRequestFailure`` if no complete response came.
    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse
}

/// A GET, or a POST with a form.
public struct ProviderRequest: Hashable, Sendable {
    public let url: String
    /// The value of `Authorization`, if any.
    public let authorization: String?
    /// The body (`application/x-www-form-urlencoded`); nil for a GET.
    public let form: [UInt8]?

    init(url: String, authorization: String? = nil, form: [UInt8]? = nil) {
        self.url = url
        self.authorization = authorization
        self.form = form
    }
}

public struct ProviderResponse: Hashable, Sendable {
    public let status: Int
    public let body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// No complete response came from a provider.
public struct ProviderRequestFailure: Error, Hashable, Sendable {
    /// For the log.
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
