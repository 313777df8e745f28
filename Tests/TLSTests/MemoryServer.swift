import COpenSSL
import TestSupport

@testable import TLS

/// The server's side of a session in memory, as OpenSSL implements it.
final class MemoryServer {
    private let context: OpaquePointer
    private let handle: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    /// - Parameters:
    ///   - client: If given, the only client certificate that is accepted.
    ///   - newest: The newest protocol version spoken.
    init(_ certificate: TestCertificate, client: TestCertificate? = nil, newest: Int32 = TLS1_3_VERSION) {
        context = SSL_CTX_new(TLS_server_method())!
        SSL_CTX_use_certificate_chain_file(context, certificate.file)
        SSL_CTX_use_PrivateKey_file(context, certificate.key, SSL_FILETYPE_PEM)
        if let client {
            SSL_CTX_load_verify_file(context, client.file)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        handle = SSL_new(context)!
        SSL_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(newest), nil)
        input = BIO_new(BIO_s_mem())!
        output = BIO_new(BIO_s_mem())!
        SSL_set_bio(handle, input, output)
        SSL_set_accept_state(handle)
    }

    deinit {
        SSL_free(handle)
        SSL_CTX_free(context)
    }

    /// Passes bytes on between both sides, in pieces of this size, until the client's handshake has succeeded or failed.
    func shakeHands(with session: TLSSession, pieces: Int = .max) throws(TLSError) {
        for _ in 0..<8 {
            let isDone = try session.handshake()
            receive(session.takeOutput())
            SSL_do_handshake(handle)
            if isDone { return }
            var rest = takeOutput()[...]
            while !rest.isEmpty {
                session.receive(Array(rest.prefix(pieces)))
                rest = rest.dropFirst(pieces)
                if !rest.isEmpty { _ = try session.handshake() }
            }
        }
        throw TLSError("the handshake does not end")
    }

    func receive(_ bytes: [UInt8]) { BIO_write(input, bytes, Int32(bytes.count)) }

    func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        BIO_read(output, &bytes, Int32(bytes.count))
        return bytes
    }

    func read() -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while case let count = SSL_read(handle, &piece, Int32(piece.count)), count > 0 { bytes += piece[..<Int(count)] }
        return bytes
    }

    func write(_ bytes: [UInt8]) { SSL_write(handle, bytes, Int32(bytes.count)) }

    func end() { SSL_shutdown(handle) }
}
