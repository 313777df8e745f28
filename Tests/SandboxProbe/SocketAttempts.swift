import Glibc

let socketAttempts: [String: Attempt] = [
    "internet-socket": { _ throws(Refusal) in
        try Refusal.check(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        return "allowed"
    },
    "unix-socket": { _ throws(Refusal) in
        try Refusal.check(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        return "allowed"
    },
    "socket-of-older-thread": { beforehand throws(Refusal) in
        try beforehand.olderThread?.makeSocket()
        return "allowed"
    },
    "connect": { beforehand throws(Refusal) in
        var address = beforehand.listener
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(beforehand.client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try Refusal.check(result)
        return "allowed"
    },
    "send-and-receive": { beforehand throws(Refusal) in
        var bytes: [UInt8] = [1, 2, 3]
        try Refusal.check(send(beforehand.pair.0, bytes, bytes.count, 0))
        try Refusal.check(recv(beforehand.pair.1, &bytes, bytes.count, 0))
        return "allowed"
    },
    "send-to-address": { beforehand throws(Refusal) in
        var address = beforehand.listener
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // A connected stream ignores the address.
                sendto(beforehand.pair.0, "x", 1, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == -1, errno != EISCONN { throw Refusal(code: errno) }
        return "allowed"
    },
]
