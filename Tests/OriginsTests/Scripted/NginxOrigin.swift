import Glibc
import TestSupport

/// A private nginx in a temporary folder, which speaks HTTP/2 over TLS with its own certificate.
final class NginxOrigin: Sendable {
    /// The size of its image in bytes.
    static let size = 2_000_000

    private let folder: String
    private let authority: TestCertificate
    private let port: UInt16
    private let process: pid_t

    static let isInstalled = access("/usr/sbin/nginx", X_OK) == 0 && TestCertificate.isInstalled

    /// Nil if it does not start.
    init?() async {
        var template = Array("/tmp/tessera-nginx-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        port = Loopback.freePort()
        guard let authority = TestCertificate("IP:127.0.0.1") else { return nil }
        self.authority = authority
        NginxOrigin.write("\(folder)/picture", String(repeating: "p", count: NginxOrigin.size))
        NginxOrigin.write("\(folder)/nginx.conf", NginxOrigin.configuration(folder, port, authority))
        let words = ["/usr/sbin/nginx", "-p", folder, "-c", "\(folder)/nginx.conf"]
        guard let process = Subprocess.spawn(words) else { return nil }
        self.process = process
        let port = port
        guard await eventually({ Loopback.isListening(port) }) else { return nil }
    }

    var certificate: String { authority.file }
    func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

    /// One line per completed request.
    var log: String {
        guard let file = fopen("\(folder)/access.log", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    func stop() {
        // A child of a dispatch thread inherits its signal mask, which blocks all milder signals.
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        Subprocess.run(["/bin/rm", "-rf", folder])
    }

    private static func configuration(
        _ folder: String, _ port: UInt16, _ authority: TestCertificate
    ) -> String {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        return """
            daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
            events { worker_connections 256; }
            http {
                \(paths.joined(separator: " "))
                log_format ended '$server_protocol $request_uri';
                access_log \(folder)/access.log ended;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(authority.file);
                    ssl_certificate_key \(authority.key);
                    root \(folder);
                    location /slow { alias \(folder)/picture; limit_rate 10k; }
                }
            }
            """
    }

    private static func write(_ path: String, _ text: String) {
        guard let file = fopen(path, "w") else { return }
        fputs(text, file)
        fclose(file)
    }
}
