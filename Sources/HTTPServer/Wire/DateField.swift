import CLinux
import Glibc
import Time

/// The line of the `Date` field (RFC 9110 §6.6.1), formatted once per second.
struct DateField {
    private var second = Int64.min
    private var bytes: [UInt8] = []

    /// The line for the current second, with its CRLF.
    mutating func line() -> [UInt8] {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        let now = Int64(time.tv_sec)
        if now != second {
            second = now
            bytes = Array("Date: \(HTTPDate(seconds: now))\r\n".utf8)
        }
        return bytes
    }
}
