/// A day of the proleptic Gregorian calendar.
public struct CivilDay: Hashable, Sendable {
    /// The astronomical year: 0 is 1 BC.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31. In a shorter month, a day beyond its end is one of the first days of the next month.
    public let day: Int

    /// Nil unless the month is 1 to 12 and the day 1 to 31.
    public init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...31 ~= day else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Whether the month has this day.
    public var exists: Bool { CivilDay(sinceEpoch: sinceEpoch) == self }

    /// Days since 1970-01-01 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    public var sinceEpoch: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The inverse of ``sinceEpoch``.
    public init(sinceEpoch days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The day that contains a second since 1970-01-01T00:00.
    public init(ofSecond second: Int64) {
        self.init(sinceEpoch: Int((second >= 0 ? second : second - 86_399) / 86_400))
    }

    /// The first second of the day, counted from 1970-01-01T00:00.
    public var firstSecond: Int64 { Int64(sinceEpoch) * 86_400 }
}

extension BinaryInteger {
    /// The decimal digits, padded with zeros to `width`.
    package func padded(_ width: Int = 2) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
