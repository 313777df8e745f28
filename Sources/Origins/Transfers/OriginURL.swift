import CCurl

/// A URL that may be fetched. It is read by the parser that will also fetch it, so that what was checked is what is
/// connected to.
struct OriginURL: Hashable, Sendable {
    /// In the form that is sent to curl; without a fragment.
    let text: String
    let origin: Origin

    /// For the log and for errors.
    var loggable: String { LoggableURL.text(text) }

    /// Throws ``OriginError`` with the reason `.badURL`.
    ///
    /// - Parameter keepsPath: for a store, whose keys may have `..` between slashes, and mean it.
    init(_ text: String, keepsPath: Bool = false) throws(OriginError) {
        try self.init(text, relativeTo: nil, keepsPath: keepsPath)
    }

    /// Where a redirect leads (RFC 9110 §10.2.2).
    func resolving(_ location: String) throws(OriginError) -> OriginURL {
        try OriginURL(location, relativeTo: self.text)
    }

    private static let longest = 16_384

    private init(_ text: String, relativeTo base: String?, keepsPath: Bool = false) throws(OriginError) {
        func refusal(_ why: String) -> OriginError {
            OriginError(.badURL, logDetail: "\(why): \(LoggableURL.text(text))")
        }
        guard text.utf8.count <= OriginURL.longest else { throw refusal("URL longer than \(OriginURL.longest) bytes") }
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
        guard let host = OriginURL.part(CURLUPART_HOST, of: handle), !host.isEmpty, let port, port > 0,
            let whole = OriginURL.part(CURLUPART_URL, of: handle)
        else { throw refusal("URL without a host or a port") }
        self.text = whole
        origin = Origin(isSecure: scheme == "https", host: host.lowercased(), port: port)
    }

    /// The log is no place for passwords, so the URL is not in it.
    private static let credentials = OriginError(.badURL, logDetail: "URL with a user name or password")

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// A scheme, a host and a port (RFC 6454 §4): what shares limits, connections and a reputation.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let isSecure: Bool
    let host: String
    let port: UInt16

    var description: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }
}
