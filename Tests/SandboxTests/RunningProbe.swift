import CLinux
import Glibc
import Sandbox

/// A process that makes an attempt, and its supervisor's end of things.
struct RunningProbe {
    let process: pid_t
    let output: Int32
    /// A socket over which its requests for threads come.
    let supervision: Int32

    func readLine() -> String {
        var buffer = [UInt8](repeating: 0, count: 200)
        let count = read(output, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// All that it prints. Meanwhile, grants it this many threads.
    func readAll(threads: Int) -> String {
        var text = ""
        var requests: Sandbox.ThreadRequests?
        defer { requests?.close() }
        var isSupervised = true
        while true {
            var watched = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isSupervised ? supervision : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: requests?.listener ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
            if watched[2].revents & Int16(POLLIN) != 0 {
                _ = requests?.answer(limit: threads)
            } else if watched[1].revents != 0 {
                requests = receiveRequests()
                isSupervised = false
            } else if watched[0].revents != 0 {
                let more = readLine()
                if more.isEmpty { return text }
                text += more
            }
        }
    }

    /// The descriptors of its first packet; nil if it has ended.
    private func receiveRequests() -> Sandbox.ThreadRequests? {
        var buffer = [UInt8](repeating: 0, count: 16)
        var descriptors = [Int32](repeating: -1, count: Int(CLINUX_MOST_DESCRIPTORS))
        var number = 0
        _ = clinux_receive_packet(supervision, &buffer, buffer.count, 0, &descriptors, &number)
        return Sandbox.ThreadRequests(descriptors: Array(descriptors[..<number]))
    }

    /// The status as reported by waitpid(2).
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status
    }

    func close() {
        for descriptor in [output, supervision] { Glibc.close(descriptor) }
    }
}
