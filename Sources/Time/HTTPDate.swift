/// A point in time in HTTP's format: whole seconds, always UTC (RFC 9110 §5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z.
    public let seconds: Int64

    /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z.
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        // Only years of four digits can be written.
        let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let day = CivilDay(ofSecond: seconds)
        let time = Int(seconds - day.firstSecond)
        return "\(Self.days[(day.sinceEpoch % 7 + 7) % 7]), \(day.day.padded()) \(Self.months[day.month - 1]) "
            + "\(day.year.padded(4)) \((time / 3600).padded()):\((time / 60 % 60).padded()):\((time % 60).padded()) GMT"
    }

    /// Parses the current format and the two obsolete ones, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37
    /// 1994`. Nil for anything else.
    public init?(_ text: some StringProtocol) {
        let words: [String] = text.split { $0 == " " || $0 == "-" }.map { String($0) }
        let parts: (day: String, month: String, year: String, time: String)
        switch words.count {
        case 6 where words[0].last == "," && words[5] == "GMT": parts = (words[1], words[2], words[3], words[4])
        case 5 where words[0].last != ",": parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        let time = parts.time.split(separator: ":", omittingEmptySubsequences: false).map { Self.number($0, 2...2) }
        guard let day = Self.number(parts.day, 1...2), var year = Self.number(parts.year, 2...4),
            let month = Self.months.firstIndex(of: parts.month), time.count == 3,
            let hour = time[0], let minute = time[1], let second = time[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        // Years of two digits belong to an obsolete format. All servers that wrote it did so before 2070.
        if parts.year.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        guard year >= 1000, let date = CivilDay(year: year, month: month + 1, day: day) else { return nil }
        seconds = date.firstSecond + Int64(hour * 3600 + minute * 60 + second)
    }

    private static func number(_ text: some StringProtocol, _ width: ClosedRange<Int>) -> Int? {
        guard width.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
