import ArgumentParser
import Foundation
import Glibc

/// `tessera health`: checks whether a running server is healthy, for a container's health check.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a running server on this machine; exit with 0 if it is healthy.")

    @Option(help: "The address the server listens on. (TESSERA_HOST; 127.0.0.1)")
    var host: String?

    @Option(help: "The port of the server. (TESSERA_PORT; 8080)")
    var port: UInt16?

    /// The timeout of the connection and of each read, in seconds.
    private static let timeout = 3

    func run() throws {
        let host = try host ?? Environment.value("host") ?? "127.0.0.1"
        let port = try port ?? Environment.value("port") ?? 8080
        guard Self.isHealthy(host: host, port: port) else {
            print("No healthy answer from \(host), port \(port), to /healthz within \(Self.timeout) s.")
            throw ExitCode.failure
        }
    }

    /// Asks the first address of `host`, since that is the one the server listens on. Linux connects 0.0.0.0 and ::
    /// to this machine.
    private static func isHealthy(host: String, port: UInt16) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else { return false }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return false }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return false
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL))
        return count > 0 && answer.starts(with: Array("HTTP/1.1 200 ".utf8))
    }
}
