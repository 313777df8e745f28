import COpenSSL
import Glibc
import TestSupport
import Testing

@testable import TLS

@Suite(.enabled(if: TestCertificate.isInstalled)) struct TLSSessionTests {
    private let certificate: TestCertificate

    init() throws { certificate = try #require(TestCertificate()) }

    /// A session of a client that trusts one authority.
    private func session(
        trusting authority: TestCertificate? = nil, host: String = "cache.example",
        _ change: (inout TLSSettings) -> Void = { _ in }
    ) throws -> TLSSession {
        var settings = TLSSettings()
        settings.authorities = (authority ?? certificate).file
        change(&settings)
        return try TLSSession(TLSContext(settings), host: host)
    }

    private func failure(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test(arguments: [1, 5, 1_000, .max], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `data of any size passes in both directions, however it is split`(piece: Int, version: Int32) throws {
        let server = MemoryServer(certificate, newest: version)
        let session = try session()
        try server.shakeHands(with: session, pieces: piece)
        for count in [0, 1, 16_384, 16_385, 100_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try session.write(bytes)
            server.receive(session.takeOutput())
            #expect(server.read() == bytes)
            server.write(bytes)
            var received: [UInt8] = []
            var rest = server.takeOutput()[...]
            while !rest.isEmpty {
                session.receive(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
                received += try session.read()
            }
            #expect(received == bytes)
        }
        #expect(!session.isEnded)
        server.end()
        session.receive(server.takeOutput())
        #expect(try session.read().isEmpty && session.isEnded)
    }

    @Test(arguments: ["cache.example", "127.0.0.1", "CACHE.example", "cache.example."])
    func `a certificate is accepted for each of its names`(host: String) throws {
        try MemoryServer(certificate).shakeHands(with: session(host: host))
    }

    @Test(arguments: [
        ("other.example", "hostname mismatch"), ("127.0.0.2", "IP address mismatch"), ("::1", "IP address mismatch"),
        ("example", "hostname mismatch"),
    ]) func `a certificate is rejected for any other name`(host: String, reason: String) throws {
        let server = MemoryServer(certificate)
        let session = try session(host: host)
        #expect(failure { try server.shakeHands(with: session) } == "its certificate was rejected: \(reason)")
    }

    @Test func `a certificate of an unknown authority is rejected, unless the settings say otherwise`() throws {
        let other = try #require(TestCertificate())
        let server = MemoryServer(certificate)
        let session = try session(trusting: other)
        #expect(
            failure { try server.shakeHands(with: session) } == "its certificate was rejected: self-signed certificate")
        let system = try TLSSession(TLSContext(TLSSettings()), host: "cache.example")
        #expect(throws: TLSError.self) { try MemoryServer(certificate).shakeHands(with: system) }
        let trusting = try self.session(trusting: other, host: "other.example") { $0.verifiesServer = false }
        try MemoryServer(certificate).shakeHands(with: trusting)
    }

    @Test func `an expired certificate is rejected`() throws {
        let session = try session()
        X509_VERIFY_PARAM_set_time(SSL_get0_param(session.handle), time(nil) + 10 * 86_400)
        #expect(
            failure { try MemoryServer(certificate).shakeHands(with: session) }
                == "its certificate was rejected: certificate has expired")
    }

    @Test func `a server that asks for a certificate gets it`() throws {
        let own = try #require(TestCertificate())
        let server = MemoryServer(certificate, client: own)
        let session = try session {
            $0.certificate = own.file
            $0.key = own.key
        }
        try server.shakeHands(with: session)
        try session.write([1, 2])
        server.receive(session.takeOutput())
        #expect(server.read() == [1, 2])
        // Without one, a client learns of its refusal by the first bytes after the handshake (RFC 8446, 4.4.2.4).
        let refusing = MemoryServer(certificate, client: own)
        let anonymous = try self.session()
        try refusing.shakeHands(with: anonymous)
        anonymous.receive(refusing.takeOutput())
        #expect(failure { _ = try anonymous.read() }?.contains("certificate required") == true)
    }

    @Test func `TLS 1.1 is rejected`() throws {
        let server = MemoryServer(certificate, newest: TLS1_1_VERSION)
        let session = try session()
        #expect(failure { try server.shakeHands(with: session) }?.contains("protocol version") == true)
    }

    @Test func `a server without TLS is an error that says so`() throws {
        let session = try session()
        #expect(try session.handshake() == false)
        session.receive(Array("-ERR unknown command\r\n".utf8))
        #expect(failure { _ = try session.handshake() } == "TLS failed: wrong version number")
    }

    @Test func `tampering with any byte is an error`() throws {
        for place in [0, 3, 5, 20, 60, 115] {
            let server = MemoryServer(certificate)
            let session = try session()
            try server.shakeHands(with: session)
            session.receive(server.takeOutput())
            #expect(try session.read().isEmpty)
            server.write([UInt8](repeating: 7, count: 100))
            var record = server.takeOutput()
            #expect(record.count > place)
            record[place] ^= 0x40
            // A changed length lets the session wait for more.
            session.receive(record + [UInt8](repeating: 0, count: 32_768))
            #expect(throws: TLSError.self) { try session.read() }
        }
    }

    @Test func `data that arrived before a fault is not lost`() throws {
        let server = MemoryServer(certificate)
        let session = try session()
        try server.shakeHands(with: session)
        server.write([1, 2, 3])
        server.write([UInt8](repeating: 7, count: 100))
        var records = server.takeOutput()
        records[records.count - 1] ^= 1
        session.receive(records)
        #expect(try session.read() == [1, 2, 3])
        #expect(throws: TLSError.self) { try session.read() }
    }

    @Test func `random bytes never crash a session`() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<300 {
            let server = MemoryServer(certificate)
            let session = try session()
            #expect(try !session.handshake())
            server.receive(session.takeOutput())
            try? server.shakeHands(with: session)
            var hello = server.takeOutput()
            for _ in 0..<4 where !hello.isEmpty {
                hello[random.number(below: hello.count)] = UInt8(random.number(below: 256))
            }
            session.receive(hello + (0..<64).map { _ in UInt8(random.number(below: 256)) })
            _ = try? session.handshake()
            _ = try? session.read()
            _ = session.takeOutput()
        }
    }

    @Test func `files that cannot be used are named`() throws {
        for (change, words) in [
            ({ $0.authorities = "/none" }, ["authorities", "/none", "No such file"]),
            ({ $0.authorities = certificate.key }, ["authorities", certificate.key]),
            ({ $0.certificate = "/none" }, ["client certificate", "/none"]),
            ({ $0.certificate = certificate.file }, ["key", certificate.file]),
        ] as [((inout TLSSettings) -> Void, [String])] {
            var settings = TLSSettings()
            change(&settings)
            let reason = failure { _ = try TLSContext(settings) } ?? ""
            for word in words { #expect(reason.contains(word), "\(reason)") }
        }
        let own = try #require(TestCertificate())
        var settings = TLSSettings()
        // Nobody is asked for a passphrase.
        let locked = certificate.file + ".key"
        #expect(
            Subprocess.run(["/usr/bin/openssl", "ec", "-in", own.key, "-aes128", "-passout", "pass:a", "-out", locked]))
        settings.certificate = own.file
        settings.key = locked
        #expect(failure { _ = try TLSContext(settings) }?.contains("key cannot be read from \(locked)") == true)
        settings.certificate = certificate.file
        settings.key = own.key
        #expect(failure { _ = try TLSContext(settings) }?.contains("key values mismatch") == true)
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "a", count: 300)])
    func `an invalid server name is an error`(host: String) throws {
        #expect(throws: TLSError.self) { try session(host: host) }
    }
}
