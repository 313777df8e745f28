/// A request to a service that the operator has named.
public struct ServiceRequest: Hashable, Sendable {
    /// An absolute `http` or `https` URL.
    public var url: String
    /// Nil for GET, or for POST with a form.
    public var method: String?
    /// Complete header field lines, in printable ASCII.
    public var fields: [String]
    /// The body of a POST (`application/x-www-form-urlencoded`); nil for none.
    public var form: [UInt8]?

    public init(url: String, method: String? = nil, fields: [String] = [], form: [UInt8]? = nil) {
        self.url = url
        self.method = method
        self.fields = fields
        self.form = form
    }
}

/// A service's response, with any status. Redirects are not followed.
public struct ServiceResponse: Hashable, Sendable {
    public let status: Int
    public let body: [UInt8]
}

/// No complete response came from a service.
public struct ServiceRequestFailure: Error, Hashable, Sendable {
    /// For the log.
    public let reason: String
}
