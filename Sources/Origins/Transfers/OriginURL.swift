import CCurl
import HostNames

/// A URL that may be fetched. It is parsed by the parser that also fetches it, so that curl connects to exactly what
/// was checked.
struct OriginURL: Hashable, Sendable {
    /// In the form passed to curl; without a fragment.
    let text: String
    let origin: Origin

    /// The path, which begins with a slash, without the query.
    var path: Substring {
        let start = text.utf8.firstIndex(of: UInt8(ascii: ":")).map { text.utf8.index($0, offsetBy: 3) }
        return text[(start ?? text.startIndex)...].drop { $0 != "/" }.prefix { $0 != "?" }
    }

    /// For logs and errors.
    var loggable: String { LoggableURL.text(text) }

    /// - Parameter keepsPath: For object stores, whose keys may contain `..` literally.
    /// - Throws: ``OriginError`` with the reason `.badURL`.
    init(_ text: String, keepsPath: Bool = false) throws(OriginError) {
        try self.init(text, relativeTo: nil, keepsPath: keepsPath)
    }

    /// The target of a redirect (RFC 9110 §10.2.2).
    func resolving(_ location: String) throws(OriginError) -> OriginURL {
        try OriginURL(location, relativeTo: self.text)
    }

    private static let maximumLength = 16_384

    private init(_ text: String, relativeTo base: String?, keepsPath: Bool = false) throws(OriginError) {
        func refusal(_ why: String) -> OriginError {
            OriginError(.badURL, logDetail: "\(why): \(LoggableURL.text(text))")
        }
        guard text.utf8.count <= OriginURL.maximumLength else {
            throw refusal("URL longer than \(OriginURL.maximumLength) bytes")
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw refusal("URL empty or with control characters")
        }
        guard let handle = curl_url() else { throw refusal("no memory for the URL") }
        defer { curl_url_cleanup(handle) }
        if let base { _ = curl_url_set(handle, CURLUPART_URL, base, UInt32(CURLU_URLENCODE)) }
        let asIs = keepsPath ? CURLU_PATH_AS_IS : 0
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME | asIs)
        let code = curl_url_set(handle, CURLUPART_URL, text, flags)
        guard code != CURLUE_USER_NOT_ALLOWED else { throw OriginURL.credentials }
        guard code == CURLUE_OK else { throw refusal(String(cString: curl_url_strerror(code))) }
        _ = curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0)
        let scheme = OriginURL.part(CURLUPART_SCHEME, of: handle)?.lowercased()
        guard scheme == "http" || scheme == "https" else { throw refusal("URL neither http nor https") }
        guard OriginURL.part(CURLUPART_USER, of: handle) == nil, OriginURL.part(CURLUPART_PASSWORD, of: handle) == nil
        else { throw OriginURL.credentials }
        let port = OriginURL.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap(UInt16.init)
        guard OriginURL.convertHost(of: handle) else { throw refusal("URL with an invalid host name") }
        guard let host = OriginURL.part(CURLUPART_HOST, of: handle), !host.isEmpty, let port, port > 0,
            let whole = OriginURL.part(CURLUPART_URL, of: handle)
        else { throw refusal("URL without a host or a port") }
        self.text = whole
        origin = Origin(isSecure: scheme == "https", host: host.lowercased(), port: port)
    }

    /// The URL is left out, because passwords must not be logged.
    private static let credentials = OriginError(.badURL, logDetail: "URL with a user name or password")

    /// Gives a host name beyond ASCII its `xn--` form, which curl itself does in some locales only.
    ///
    /// - Returns: False if the name has no such form.
    private static func convertHost(of handle: OpaquePointer) -> Bool {
        guard let host = part(CURLUPART_HOST, of: handle), !host.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
        guard let name = InternationalName.ascii(host.utf8) else { return false }
        return curl_url_set(handle, CURLUPART_HOST, name, 0) == CURLUE_OK
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// A scheme, a host and a port (RFC 6454 §4): requests to it share limits, connections and a circuit breaker.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let isSecure: Bool
    let host: String
    let port: UInt16

    var description: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }
}
