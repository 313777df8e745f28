/// The formats in which cameras and programs write a ``PictureTime``. All of them are read leniently: whatever states
/// one time without doubt is that time.
extension PictureTime {
    /// Parses EXIF's "2024:05:01 10:00:00" and "+02:00" (EXIF 2.32, 4.6.6), XMP's profile of ISO 8601 (ISO 16684-1,
    /// 8.2.1.2), and what else programs write there: other separators, a fraction, an attached zone, blanks for zeros,
    /// no seconds, no time, no day. A zone that cannot be read is none.
    ///
    /// - Parameter offset: The zone, if it is stated apart from the text and the text has none.
    public init?(_ text: String, offset: String? = nil) {
        var scanner = Scanner(text.utf8)
        scanner.skipBlanks()
        guard let year = scanner.number(digits: 4...4) else { return nil }
        var (month, day): (Int?, Int?)
        if scanner.take(anyOf: Self.dateSeparators) {
            month = scanner.number(digits: 0...2)
            guard month != nil else { return nil }
            if scanner.take(anyOf: Self.dateSeparators) {
                day = scanner.number(digits: 0...2)
                guard day != nil else { return nil }
            }
        }
        if scanner.isAtEnd {
            self.init(year: year, month: month, day: day)
            return
        }
        guard day != nil, scanner.take(anyOf: "Tt_ ") else { return nil }
        scanner.skipBlanks()
        // "  :  :  ", and nothing but blanks, are an unknown time.
        if scanner.isUnknown {
            self.init(year: year, month: month, day: day)
            return
        }
        guard var hour = scanner.number(digits: 1...2), scanner.take(anyOf: ":"),
            let minute = scanner.number(digits: 0...2)
        else { return nil }
        var second: Int?
        var fraction = ""
        if scanner.take(anyOf: ":") {
            second = scanner.number(digits: 0...2)
            guard second != nil else { return nil }
            if scanner.take(anyOf: ".,") { fraction = scanner.digits() }
        }
        scanner.skipBlanks()
        switch scanner.halfOfDay() {
        case .first where hour == 12: hour = 0
        case .second where hour < 12: hour += 12
        default: break
        }
        self.init(
            year: year, month: month, day: day,
            clock: Clock(hour: hour, minute: minute, second: second, fraction: fraction),
            zone: scanner.zone() ?? offset.flatMap(Self.zone))
    }

    /// Parses IIM's "20240501" and "100000+0200" (IPTC-NAA Information Interchange Model 4.2, 2:55 and 2:60), and the
    /// same with separators.
    public init?(iptc date: [UInt8], time: [UInt8]?) {
        var compact = Scanner(date)
        compact.skipBlanks()
        let day: PictureTime?
        if let year = compact.number(digits: 4...4), let month = compact.number(digits: 2...2),
            let date = compact.number(digits: 2...2)
        {
            day = PictureTime(year: year, month: month, day: date)
        } else {
            day = PictureTime(String(decoding: date.prefix { $0 != 0 }, as: UTF8.self))
        }
        guard let day else { return nil }
        guard let time, day.clock == nil, let clock = Self.clock(iptc: time) else {
            self = day
            return
        }
        self = PictureTime(year: day.year, month: day.month, day: day.day, clock: clock.0, zone: clock.zone) ?? day
    }

    private static func clock(iptc text: [UInt8]) -> (Clock, zone: String?)? {
        var scanner = Scanner(text)
        scanner.skipBlanks()
        guard let hour = scanner.number(digits: 2...2) else { return nil }
        _ = scanner.take(anyOf: ":")
        guard let minute = scanner.number(digits: 2...2) else { return nil }
        _ = scanner.take(anyOf: ":")
        let second = scanner.number(digits: 2...2)
        return (Clock(hour: hour, minute: minute, second: second), scanner.zone())
    }

    private static func zone(_ text: String) -> String? {
        var scanner = Scanner(text.utf8)
        scanner.skipBlanks()
        return scanner.zone()
    }

    private static let dateSeparators = ":-/."
}

/// Reads numbers and separators of a date.
private struct Scanner {
    private var rest: ArraySlice<UInt8>

    enum HalfOfDay {
        case first, second
    }

    init(_ text: some Sequence<UInt8>) { rest = Array(text)[...] }

    var isAtEnd: Bool { rest.allSatisfy { Self.isBlank($0) } }

    var isUnknown: Bool { rest.allSatisfy { Self.isBlank($0) || ":-".utf8.contains($0) } }

    mutating func skipBlanks() { rest = rest.drop { Self.isBlank($0) } }

    /// Takes one of these characters, if it is next.
    mutating func take(anyOf characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    /// A number of so many digits, which may be padded with blanks in front. No digits at all are 0, where two blanks
    /// stand for them.
    mutating func number(digits: ClosedRange<Int>) -> Int? {
        var copy = self
        var blanks = 0
        while copy.rest.first == UInt8(ascii: " "), blanks < 2, digits.upperBound == 2, digits.lowerBound < 2 {
            copy.rest.removeFirst()
            blanks += 1
        }
        let found = copy.rest.prefix(digits.upperBound - blanks).prefix(while: Self.isDigit)
        guard found.isEmpty ? blanks == 2 && digits.lowerBound == 0 : digits.contains(found.count) else { return nil }
        copy.rest = copy.rest.dropFirst(found.count)
        self = copy
        return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    mutating func digits() -> String {
        let found = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(found.count)
        return String(decoding: found, as: UTF8.self)
    }

    /// "AM" or "PM".
    mutating func halfOfDay() -> HalfOfDay? {
        let letters = rest.prefix(2).map { $0 | 0x20 }
        guard letters.count == 2, letters[1] == UInt8(ascii: "m") else { return nil }
        let half: HalfOfDay? =
            letters[0] == UInt8(ascii: "a") ? .first : letters[0] == UInt8(ascii: "p") ? .second : nil
        if half != nil { rest = rest.dropFirst(2) }
        return half
    }

    /// "Z", "+02:00", "+0200" or "+02", as "Z" or "+02:00".
    mutating func zone() -> String? {
        skipBlanks()
        if take(anyOf: "Zz") { return "Z" }
        guard let sign = rest.first, take(anyOf: "+-"), let hours = number(digits: 2...2) else { return nil }
        _ = take(anyOf: ":")
        let minutes = rest.first.map(Self.isDigit) == true ? number(digits: 2...2) : 0
        guard let minutes, hours < 24, minutes < 60 else { return nil }
        return "\(Character(Unicode.Scalar(sign)))\(hours.padded()):\(minutes.padded())"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
}
