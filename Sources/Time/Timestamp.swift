/// A date and time with a time zone, in the format of RFC 3339 section 5.6.
public struct Timestamp: Hashable, Sendable {
    /// The local time: seconds since 1970-01-01T00:00 in its time zone.
    public let wallSeconds: Int64
    /// The fraction of the second, from its first nine digits.
    public let nanoseconds: Int64
    /// Seconds by which the time zone is ahead of UTC.
    public let offset: Int64

    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64 { wallSeconds - offset }

    /// Nil unless the text is a full date and time with a time zone, and each number is within its range.
    public init?(_ text: String) {
        var text = text
        guard let timestamp = text.withUTF8({ Timestamp($0) }) else { return nil }
        self = timestamp
    }

    /// Parses the bytes of a text in the same way.
    public init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard 20...40 ~= text.count, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == 0x20, text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let year = text.number(at: 0, 4), let month = text.number(at: 5),
            let day = text.number(at: 8), let hour = text.number(at: 11), let minute = text.number(at: 14),
            let second = text.number(at: 17), hour < 24, minute < 60, second <= 60,
            let date = CivilDay(year: year, month: month, day: day)
        else { return nil }
        wallSeconds = date.firstSecond + Int64(hour * 3_600 + minute * 60 + second)
        var (end, nanoseconds, unit) = (19, Int64(0), Int64(100_000_000))
        if text[end] == UInt8(ascii: ".") {
            end += 1
            while end < text.count, text[end].isDigit {
                nanoseconds += Int64(text[end] - UInt8(ascii: "0")) * unit
                unit /= 10
                end += 1
            }
            guard end > 20 else { return nil }
        }
        guard end < text.count else { return nil }
        self.nanoseconds = nanoseconds
        if end + 1 == text.count, text[end] | 0x20 == UInt8(ascii: "z") {
            offset = 0
            return
        }
        guard end + 6 == text.count, text[end] == UInt8(ascii: "+") || text[end] == UInt8(ascii: "-"),
            text[end + 3] == UInt8(ascii: ":"), let hours = text.number(at: end + 1),
            let minutes = text.number(at: end + 4), hours < 24, minutes < 60
        else { return nil }
        offset = Int64(hours * 3_600 + minutes * 60) * (text[end] == UInt8(ascii: "-") ? -1 : 1)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The decimal number of `count` digits at `start`; nil if there is anything else.
    fileprivate func number(at start: Int, _ count: Int = 2) -> Int? {
        var value = 0
        for index in start..<start + count {
            guard self[index].isDigit else { return nil }
            value = value * 10 + Int(self[index] - UInt8(ascii: "0"))
        }
        return value
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
