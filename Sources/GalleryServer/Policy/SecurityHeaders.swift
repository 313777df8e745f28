import HTTPServer
import HTTPTypes

/// The header fields that keep a browser from doing more with an answer than it is meant for.
enum SecurityHeaders {
    /// For what the front is made of: everything from this server, in nobody's frame, and nothing inline but what the page
    /// was put together with.
    @Sendable static func page(inline: InlineSources) -> HTTPFields {
        let scripts = (["'self'"] + inline.scripts).joined(separator: " ")
        let styles = (["'self'"] + inline.styles).joined(separator: " ")
        return [
            .contentSecurityPolicy:
                "default-src 'none'; script-src \(scripts); style-src \(styles); img-src 'self' blob: data:; "
                + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'",
            .crossOriginOpenerPolicy: "same-origin",
            .referrerPolicy: "no-referrer",
            .xContentTypeOptions: "nosniff",
        ]
    }

    /// For pictures: opened on their own they are a document that may do nothing, whatever their bytes say; and pages
    /// from elsewhere cannot show them, unless the API was opened to these pages.
    static let picture: HTTPFields = [
        .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        .crossOriginResourcePolicy: "same-origin",
        .xContentTypeOptions: "nosniff",
    ]
}

extension HTTPField.Name {
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
    static let referrerPolicy = Self("Referrer-Policy")!
}
