import Glibc

/// A self-signed certificate in a temporary folder, which is its own authority.
public final class TestCertificate: Sendable {
    private let folder: String

    /// The certificate, and its private key, as PEM files.
    public var file: String { folder + "/certificate.pem" }
    public var key: String { folder + "/key.pem" }

    private static let program = "/usr/bin/openssl"
    public static let isInstalled = access(program, X_OK) == 0

    /// Nil if it cannot be made.
    ///
    /// - Parameter names: What it is valid for, for two days: `IP:127.0.0.1`, `DNS:cache.example`.
    public init?(_ names: String = "IP:127.0.0.1,DNS:cache.example") {
        var template = Array("/tmp/tessera-certificate-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let isMade = Subprocess.run([
            Self.program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder + "/key.pem", "-out", folder + "/certificate.pem", "-days", "2", "-subj",
            "/CN=test", "-addext", "subjectAltName=" + names,
        ])
        guard isMade else { return nil }
    }

    deinit { Subprocess.run(["/bin/rm", "-rf", folder]) }
}
