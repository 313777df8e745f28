import Glibc

/// The three descriptors that a process is started with, or not.
enum StandardStreams {
    /// Opens those that are closed, onto nothing. Otherwise the next file to be opened would get such a number, and what is
    /// meant for people would be written into the index.
    static func keepOpen() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// A line on standard output, if anybody is there to read it: a server does not end because nobody does.
    static func print(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}
