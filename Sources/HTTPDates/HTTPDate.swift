/// A moment as HTTP writes it: whole seconds, always UTC (RFC 9110 §5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since the beginning of 1970.
    public let seconds: Int64

    public init(seconds: Int64) {
        self.seconds = seconds
    }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        // The years that have four digits.
        let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let day = (seconds - Self.modulo(seconds, 86_400)) / 86_400
        let time = Self.modulo(seconds, 86_400)
        let (year, month, dayOfMonth) = Self.civil(day)
        func padded(_ number: Int64, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(Self.days[Int(Self.modulo(day, 7))]), \(padded(dayOfMonth)) \(Self.months[Int(month) - 1]) "
            + "\(padded(year, 4)) \(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
    }

    /// Reads the present form and the two obsolete ones, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`. Nil for anything else.
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
            let hour = time[0], let minute = time[1], let second = time[2],
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        // Two digits are of an obsolete form. All servers that wrote it did so before 2070.
        if parts.year.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        guard year >= 1000 else { return nil }
        seconds = Self.days(year, Int64(month) + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: some StringProtocol, _ width: ClosedRange<Int>) -> Int64? {
        guard width.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        (value % divisor + divisor) % divisor
    }

    /// Days since the beginning of 1970 (Hinnant, "chrono-compatible low-level date algorithms").
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `days`.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
