import CCurl

extension OriginError {
    /// What a transfer's end means that curl itself has ended.
    init(_ code: CURLcode, at url: OriginURL) {
        let reason: Reason =
            switch code {
            case CURLE_URL_MALFORMAT: .badURL
            case CURLE_COULDNT_RESOLVE_HOST: .unresolved
            // A handshake that breaks off is told from a certificate that is bad, and may pass.
            case CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR: .unreachable
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: .insecure
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PARTIAL_FILE: .truncated
            // Of the URL's scheme this cannot be: what came has no status line, as in HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL: .malformed
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .malformed
            default: .interrupted
            }
        self.init(
            reason, logDetail: "\(String(cString: curl_easy_strerror(code))) (curl \(code.rawValue)): \(url.loggable)")
    }
}
