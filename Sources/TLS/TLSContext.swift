import COpenSSL
import Glibc

/// The settings and certificates that all TLS sessions of one client share.
public final class TLSContext {
    let handle: OpaquePointer

    /// Reads the files; may block on the file system.
    ///
    /// - Throws: ``TLSError``, naming the file that cannot be used.
    public init(_ settings: TLSSettings) throws(TLSError) {
        ERR_clear_error()
        guard let handle = SSL_CTX_new(TLS_client_method()) else {
            throw TLSError("OpenSSL cannot be initialised: \(TLSError.lastReason)")
        }
        self.handle = handle
        // Older versions are obsolete (RFC 8996).
        _ = openssl_context_set_minimum_version(handle, TLS1_2_VERSION)
        SSL_CTX_set_options(handle, openssl_no_renegotiation)
        // OpenSSL would ask for a key's passphrase on the terminal.
        SSL_CTX_set_default_passwd_cb(handle) { _, _, _, _ in -1 }
        SSL_CTX_set_verify(handle, settings.verifiesServer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        if let authorities = settings.authorities {
            guard SSL_CTX_load_verify_file(handle, authorities) == 1 else {
                throw .file("the certificate authorities", authorities)
            }
        } else {
            SSL_CTX_set_default_verify_paths(handle)
        }
        if let certificate = settings.certificate {
            guard SSL_CTX_use_certificate_chain_file(handle, certificate) == 1 else {
                throw .file("the client certificate", certificate)
            }
            let key = settings.key ?? certificate
            guard SSL_CTX_use_PrivateKey_file(handle, key, SSL_FILETYPE_PEM) == 1 else {
                throw .file("the client certificate's key", key)
            }
        }
    }

    deinit { SSL_CTX_free(handle) }
}

extension TLSError {
    fileprivate static func file(_ what: String, _ path: String) -> TLSError {
        TLSError("\(what) cannot be read from \(path): \(lastReason)")
    }

    /// What OpenSSL says of the last call on this thread. The first error is the cause; later ones only say where it surfaced.
    static var lastReason: String {
        let code = ERR_peek_error()
        guard code != 0 else { return "no reason was given" }
        if case let system = openssl_system_error(code), system != 0 { return String(cString: strerror(system)) }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
