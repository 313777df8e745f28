import CCurl

extension OriginError {
    /// Interprets the error with which curl ended a transfer.
    init(_ code: CURLcode, at url: OriginURL) {
        let reason: Reason =
            switch code {
            case CURLE_URL_MALFORMAT: .badURL
            case CURLE_COULDNT_RESOLVE_HOST: .unresolved
            // An interrupted handshake may pass, unlike a bad certificate.
            case CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR: .unreachable
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: .insecure
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PARTIAL_FILE: .truncated
            // Not about the URL's scheme: the response had no status line, as in HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL: .malformed
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .malformed
            default: .interrupted
            }
        self.init(
            reason, logDetail: "\(String(cString: curl_easy_strerror(code))) (curl \(code.rawValue)): \(url.loggable)")
    }
}
