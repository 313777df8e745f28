import HTTPServer
import HTTPTypes

extension SecurityHeaders {
    /// For the front: everything comes from this server, and only the inline scripts and styles of the built page are
    /// allowed.
    ///
    /// - Parameter embedders: The web origins whose pages may show the page in a frame.
    static func page(inline: InlineSources, embedders: [WebOrigin]) -> HTTPFields {
        let scripts = (["'self'"] + inline.scripts).joined(separator: " ")
        let styles = (["'self'"] + inline.styles).joined(separator: " ")
        let ancestors = embedders.isEmpty ? "'none'" : embedders.map(\.text).joined(separator: " ")
        return [
            .contentSecurityPolicy:
                "default-src 'none'; script-src \(scripts); style-src \(styles); img-src 'self' blob: data:; "
                + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors \(ancestors)",
            .crossOriginOpenerPolicy: "same-origin",
            .permissionsPolicy: "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
            .referrerPolicy: "no-referrer",
            .xContentTypeOptions: "nosniff",
        ]
    }
}
