/// Times as the clock showed them where a picture was taken: seconds since 1970-01-01T00:00 of that clock. By them pictures
/// are sorted and put into months, so that an evening abroad is an evening.
enum WallTime {
    /// The time of an RFC 3339 text, whatever its zone; nil when it is none.
    static func seconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count >= 19 else { return nil }
        func number(_ start: Int, _ count: Int) -> Int? {
            var value = 0
            for index in start..<start + count {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return nil }
                value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2), 1...12 ~= month, 1...31 ~= day
        else { return nil }
        return Int64(days(year, month, day)) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    static func seconds(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { seconds($0) }
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The month that a time falls in.
    static func month(of seconds: Int64) -> (year: Int, month: Int) {
        let days = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month)
    }

    /// What `2019`, `2019-06`, `2019-06-30`, `A..B`, `A..` or `..B` span; nil for anything else.
    static func range(_ text: String) -> ClosedRange<Int64>? {
        guard let dots = text.range(of: "..") else { return span(text[...]) }
        let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
        guard !first.isEmpty || !last.isEmpty else { return nil }
        let from = first.isEmpty ? .some(Int64.min + 1) : span(first)?.lowerBound
        let to = last.isEmpty ? .some(Int64.max) : span(last)?.upperBound
        guard let from, let to, from <= to else { return nil }
        return from...to
    }

    /// From the first second of a month to its last.
    static func span(ofYear year: Int, month: Int) -> ClosedRange<Int64> {
        let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
        return Int64(days(year, month, 1)) * 86_400...Int64(next) * 86_400 - 1
    }

    private static func span(_ text: Substring) -> ClosedRange<Int64>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard 1...3 ~= parts.count, parts[0].utf8.count == 4, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(part) : nil
        }
        guard numbers.count == parts.count else { return nil }
        let year = numbers[0]
        let first: Int
        let next: Int
        switch numbers.count {
        case 1: (first, next) = (days(year, 1, 1), days(year + 1, 1, 1))
        case 2:
            guard 1...12 ~= numbers[1] else { return nil }
            return span(ofYear: year, month: numbers[1])
        default:
            guard 1...12 ~= numbers[1], 1...31 ~= numbers[2] else { return nil }
            first = days(year, numbers[1], numbers[2])
            next = first + 1
        }
        return Int64(first) * 86_400...Int64(next) * 86_400 - 1
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
