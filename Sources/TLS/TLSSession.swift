import COpenSSL

/// The client's side of one TLS connection, without I/O: the caller passes in the peer's bytes, and sends the output.
///
///     let session = try TLSSession(context, host: "cache.example")
///     while try !session.handshake() { send(session.takeOutput()); session.receive(…) }
///     try session.write(request)
///     send(session.takeOutput())
///     session.receive(…)
///     let reply = try session.read()
///
/// Input is not trusted: malformed or unauthentic data is an error. Not thread-safe.
public final class TLSSession {
    let handle: OpaquePointer
    /// Memory buffers that `handle` owns.
    private let input: OpaquePointer
    private let output: OpaquePointer

    /// The peer has ended the session properly; nothing more will arrive.
    public private(set) var isEnded = false
    /// The fault in the bytes that follow those of the last ``read()``, which the next call throws.
    private var pendingFault: TLSError?

    /// In bytes: more than the plaintext of any record (RFC 8446 §5.1).
    private static let recordSize = 16_640

    /// - Parameter host: The server's name, or its address (IPv6 without brackets), for which its certificate must be
    ///   valid.
    /// - Throws: ``TLSError`` if the host is not a valid server name, or memory is exhausted.
    public init(_ context: TLSContext, host: String) throws(TLSError) {
        ERR_clear_error()
        guard let handle = SSL_new(context.handle) else { throw TLSError(TLSError.lastReason) }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(handle)
            throw TLSError(TLSError.lastReason)
        }
        self.handle = handle
        self.input = input
        self.output = output
        SSL_set_bio(handle, input, output)
        SSL_set_connect_state(handle)
        // Neither certificates nor SNI have the dot at the end of a complete name (RFC 6066 §3).
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        // An address is checked as such, and is not sent as the server's name (RFC 6066 §3).
        guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host) != 1 else { return }
        ERR_clear_error()
        guard !host.utf8.contains(0), openssl_set_server_name(handle, host) == 1, SSL_set1_host(handle, host) == 1
        else {
            throw TLSError("\(host) is not a valid server name")
        }
    }

    deinit { SSL_free(handle) }

    /// Accepts bytes from the peer. They are interpreted by ``handshake()`` and ``read()``.
    public func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = BIO_write(input, $0.baseAddress, Int32($0.count)) }
    }

    /// Bytes for the peer, which each other call may have produced, even one that failed.
    public func takeOutput() -> [UInt8] {
        let size = BIO_ctrl_pending(output)
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { room, used in
            used = max(0, Int(BIO_read(output, room.baseAddress, Int32(room.count))))
        }
    }

    /// Advances the handshake with the bytes received so far.
    ///
    /// - Returns: Whether it is complete. If not, more bytes from the peer are needed.
    /// - Throws: ``TLSError`` if the peer has no certificate that proves its identity, or does not speak TLS.
    public func handshake() throws(TLSError) -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(handle)
        guard result != 1 else { return true }
        try check(result)
        return false
    }

    /// Decrypts the complete records received so far. Callers repeat the call until it returns no bytes.
    ///
    /// - Returns: The decrypted bytes; empty if more bytes from the peer are needed.
    /// - Throws: ``TLSError`` if it is not authentic, or the peer has ended the session with an alert.
    public func read() throws(TLSError) -> [UInt8] {
        if let pendingFault { throw pendingFault }
        // There are fewer decrypted bytes than encrypted ones; part of one record may have arrived earlier.
        let capacity = BIO_ctrl_pending(input) + Self.recordSize
        var result: Int32 = 1
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { room, used in
            while used < capacity, result > 0 {
                ERR_clear_error()
                result = SSL_read(handle, room.baseAddress.map { $0 + used }, Int32(capacity - used))
                used += Int(max(0, result))
            }
        }
        guard result <= 0 else { return bytes }
        do throws(TLSError) {
            try check(result)
        } catch {
            guard !bytes.isEmpty else { throw error }
            // What arrived before it is authentic.
            pendingFault = error
        }
        return bytes
    }

    /// Encrypts bytes for the peer. After the handshake only.
    public func write(_ bytes: [UInt8]) throws(TLSError) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        let result = bytes.withUnsafeBytes { SSL_write(handle, $0.baseAddress, Int32($0.count)) }
        guard result > 0 else { throw fault() }
    }

    /// Handles a call that returned no data: notes an orderly end of the session.
    ///
    /// - Throws: ``TLSError`` unless the call only needs more bytes from the peer.
    private func check(_ result: Int32) throws(TLSError) {
        switch SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: isEnded = true
        default: throw fault()
        }
    }

    private func fault() -> TLSError {
        let verdict = SSL_get_verify_result(handle)
        guard SSL_get_verify_mode(handle) == SSL_VERIFY_NONE || verdict == Int(X509_V_OK) else {
            return TLSError("its certificate was rejected: \(String(cString: X509_verify_cert_error_string(verdict)))")
        }
        return TLSError("TLS failed: \(TLSError.lastReason)")
    }
}
