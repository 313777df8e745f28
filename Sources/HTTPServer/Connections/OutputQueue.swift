import CLinux
import Glibc

/// The bytes that a connection is writing: up to three runs that go out in one system call, such as a head and a
/// body, or a chunk between its size line and its line end.
struct OutputQueue {
    enum Outcome {
        case complete
        /// The socket accepts no more for now.
        case blocked
        case failed
    }

    var first: [UInt8] = []
    var second: [UInt8] = []
    var third: [UInt8] = []
    private var written = 0
    /// Whether the last call of `write` wrote any byte.
    private(set) var hasProgressed = false

    var isEmpty: Bool { first.isEmpty && second.isEmpty && third.isEmpty }

    /// Drops the bytes. Keeps the storage of `first` for the next use.
    mutating func clear() {
        first.removeAll(keepingCapacity: true)
        if !second.isEmpty { second = [] }
        if !third.isEmpty { third = [] }
        written = 0
    }

    /// Writes until everything is written or the socket is full.
    mutating func write(to socket: Int32) -> Outcome {
        hasProgressed = false
        let total = first.count + second.count + third.count
        while written < total {
            let count = send(to: socket)
            if count > 0 {
                written += count
                hasProgressed = true
            } else if count < 0, errno == EAGAIN {
                return .blocked
            } else if count < 0, errno != EINTR {
                return .failed
            }
        }
        return .complete
    }

    private func send(to socket: Int32) -> Int {
        first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                third.withUnsafeBytes { third in
                    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { vectors in
                        var count = 0
                        var skipped = written
                        let runs: InlineArray<3, UnsafeRawBufferPointer> = [first, second, third]
                        for index in runs.indices {
                            let run = runs[index]
                            guard skipped < run.count else {
                                skipped -= run.count
                                continue
                            }
                            let base = UnsafeMutableRawPointer(mutating: run.baseAddress)
                            vectors[count] = iovec(iov_base: base.map { $0 + skipped }, iov_len: run.count - skipped)
                            count += 1
                            skipped = 0
                        }
                        var message = msghdr()
                        message.msg_iov = vectors.baseAddress
                        message.msg_iovlen = count
                        // Unlike writev, sendmsg can suppress SIGPIPE when the peer is gone.
                        return sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                    }
                }
            }
        }
    }
}
