import Glibc

/// The three standard descriptors, which a process may or may not be started with.
enum StandardStreams {
    /// Opens those that are closed, onto /dev/null. Otherwise the next file to be opened, such as the index, would
    /// get such a number, and messages for people would be written into it.
    static func keepOpen() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Prints a line to standard output. Ignores failures: the server must not end because nobody reads it.
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
