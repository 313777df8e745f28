import Time

/// Times as the clock showed them where a picture was taken: seconds since 1970-01-01T00:00 of that clock. Pictures are
/// sorted and grouped by month by these times, so that an evening abroad is an evening.
enum WallTime {
    /// Seconds are stored in units of 2⁻²⁴ s, about 60 ns, so that bursts stay in sequence.
    private static let fractionBits: Int64 = 24

    /// The stored form of `ImageMetadata.takenAt`; the first moment of an incomplete date. Nil for any other text.
    static func stored(_ text: String) -> Int64? {
        guard let time = Timestamp(text.utf8.count < 20 ? PictureTime.dateTime(text).text : text) else { return nil }
        return time.wallSeconds << fractionBits + time.nanoseconds << fractionBits / 1_000_000_000
    }

    /// The seconds of a stored time.
    static func seconds(_ stored: Int64) -> Int64 { stored >> fractionBits }

    /// What `2019`, `2019-06`, `2019-06-30`, `A..B`, `A..` or `..B` span; nil for anything else.
    static func range(_ text: String) -> ClosedRange<Int64>? {
        SearchRange.of(text, within: Int64.min + 1...Int64.max, span)
    }

    /// From the first second of a day's month to the last.
    static func month(of day: CivilDay) -> ClosedRange<Int64> {
        let first = day.sinceEpoch - (day.day - 1)
        // No month has more days.
        let later = CivilDay(sinceEpoch: first + 31)
        return seconds(of: first..<later.sinceEpoch - (later.day - 1))
    }

    /// `2019-06-30`; nil for anything else, or if there is no such day.
    static func day(_ text: String) -> CivilDay? {
        guard text.utf8.count == 10, let span = span(text[...]) else { return nil }
        return CivilDay(ofSecond: span.lowerBound)
    }

    private static func span(_ text: Substring) -> ClosedRange<Int64>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard 1...3 ~= parts.count, parts[0].utf8.count == 4, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(part) : nil
        }
        guard numbers.count == parts.count else { return nil }
        let (month, date) = (parts.count > 1 ? numbers[1] : 1, parts.count > 2 ? numbers[2] : 1)
        guard let day = CivilDay(year: numbers[0], month: month, day: date), day.exists else { return nil }
        switch parts.count {
        case 1:
            guard let next = CivilDay(year: day.year + 1, month: 1, day: 1) else { return nil }
            return seconds(of: day.sinceEpoch..<next.sinceEpoch)
        case 2: return Self.month(of: day)
        default: return seconds(of: day.sinceEpoch..<day.sinceEpoch + 1)
        }
    }

    private static func seconds(of days: Range<Int>) -> ClosedRange<Int64> {
        Int64(days.lowerBound) * 86_400...Int64(days.upperBound) * 86_400 - 1
    }
}

extension String {
    func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
