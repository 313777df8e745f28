import ArgumentParser
import Foundation
import Glibc

/// `tessera health`: asks a running server whether it is well; for a container's health check.
struct Health: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running server on this machine whether it is well; exit 0 when it is.")

    @Option(help: "The port of the server. (TESSERA_PORT; 8080)")
    var port: UInt16?

    /// Seconds that the server may take for connecting and for each read.
    private static let patience = 3

    func run() throws {
        let port = try port ?? Environment.value("port") ?? 8080
        guard Self.answersWell(port: port) else {
            print("No healthy answer from http://127.0.0.1:\(port)/healthz within \(Self.patience) s.")
            throw ExitCode.failure
        }
    }

    private static func answersWell(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return false }
        let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return false
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL))
        return count > 0 && answer.starts(with: Array("HTTP/1.1 200 ".utf8))
    }
}
