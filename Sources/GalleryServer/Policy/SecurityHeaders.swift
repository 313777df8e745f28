import HTTPTypes

/// Header fields that keep a browser from doing more with a response than intended.
enum SecurityHeaders {
    /// For pictures. A picture that is opened directly is a document without any rights, whatever its bytes contain.
    /// Other sites can't embed pictures unless the API was opened to them, and nobody can frame them.
    static let picture: HTTPFields = [
        .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
        .crossOriginResourcePolicy: "same-origin",
        .xContentTypeOptions: "nosniff",
    ]

    /// For data that only scripts read.
    static let data: HTTPFields = [
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", .xContentTypeOptions: "nosniff",
    ]
}

extension HTTPField.Name {
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
    static let referrerPolicy = Self("Referrer-Policy")!
}
