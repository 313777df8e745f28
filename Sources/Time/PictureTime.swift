/// When a picture was taken, as far as its metadata tells: a year, perhaps with a month, a day, a time and a time zone.
/// Nothing is added to it: a scanned photograph of 1956 has no month.
public struct PictureTime: Hashable, Sendable {
    /// A time of day on the clock where the picture was taken.
    public struct Clock: Hashable, Sendable {
        public let hour: Int
        public let minute: Int
        public let second: Int?
        /// The decimal digits of a fraction of the second, at most nine, without zeros at the end.
        public var fraction = ""
    }

    public let year: Int
    public let month: Int?
    public let day: Int?
    public private(set) var clock: Clock?
    /// "+02:00" or "Z"; nil if unknown.
    public private(set) var zone: String?

    /// Nil unless the day exists and the time is a valid one. A month or day of 0 is unknown. Hour 24 is the first hour
    /// of the day, as old Android cameras write it, and second 60 the first one of the next minute.
    public init?(year: Int, month: Int? = nil, day: Int? = nil, clock: Clock? = nil, zone: String? = nil) {
        let month = month == 0 ? nil : month
        let day = month == nil || day == 0 ? nil : day
        guard 1...9_999 ~= year, let first = CivilDay(year: year, month: month ?? 1, day: day ?? 1), first.exists else {
            return nil
        }
        guard let clock, day != nil else {
            (self.year, self.month, self.day) = (year, month, day)
            return
        }
        guard 0...24 ~= clock.hour, 0...59 ~= clock.minute, 0...60 ~= clock.second ?? 0 else { return nil }
        let isLeap = clock.second == 60
        let moment = first.firstSecond + Int64(clock.hour % 24 * 3_600 + clock.minute * 60 + (isLeap ? 60 : 0))
        let date = CivilDay(ofSecond: moment)
        let minutes = Int(moment - date.firstSecond) / 60
        (self.year, self.month, self.day) = (date.year, date.month, date.day)
        let fraction = clock.fraction.prefix(9)
        let last = fraction.lastIndex { $0 != "0" }
        self.clock = Clock(
            hour: minutes / 60, minute: minutes % 60, second: isLeap ? 0 : clock.second,
            fraction: last.map { String(fraction[...$0]) } ?? "")
        self.zone = zone
    }

    /// A moment in UTC. Nil outside the years 1 to 9999.
    ///
    /// - Parameters:
    ///   - seconds: Since 1970-01-01T00:00:00Z.
    ///   - fraction: The decimal digits of a fraction of the second.
    public init?(secondsSinceEpoch seconds: Int64, fraction: String = "") {
        guard -62_135_596_800...253_402_300_799 ~= seconds else { return nil }
        let day = CivilDay(ofSecond: seconds)
        let time = Int(seconds - day.firstSecond)
        let clock = Clock(hour: time / 3_600, minute: time / 60 % 60, second: time % 60, fraction: fraction)
        self.init(year: day.year, month: day.month, day: day.day, clock: clock, zone: "Z")
    }

    /// How the index stores it: as much of RFC 3339 as is known. UTC if there is a time without a zone.
    public var text: String {
        var text = year.padded(4)
        guard let month else { return text }
        text += "-" + month.padded()
        guard let day else { return text }
        text += "-" + day.padded()
        guard let clock else { return text }
        text += "T\(clock.hour.padded()):\(clock.minute.padded()):\((clock.second ?? 0).padded())"
        return text + (clock.fraction.isEmpty ? "" : "." + clock.fraction) + (zone ?? "Z")
    }

    /// This time with the given fraction of the second, unless it has one already.
    ///
    /// - Parameter digits: Decimal digits, as in EXIF's SubSecTimeOriginal: "5" and "50" are both half a second. Nothing
    ///   follows from a text that contains anything else.
    public func adding(fraction digits: String?) -> PictureTime {
        guard let digits, let clock, clock.second != nil, clock.fraction.isEmpty, !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return self }
        return PictureTime(
            year: year, month: month, day: day,
            clock: Clock(hour: clock.hour, minute: clock.minute, second: clock.second, fraction: digits), zone: zone)
            ?? self
    }

    /// This time, with what it lacks taken from another one, if both denote the same moment.
    public func refined(by other: PictureTime?) -> PictureTime {
        guard let other, other.year == year else { return self }
        guard let month else { return other }
        guard other.month == month else { return self }
        guard let day else { return other }
        guard other.day == day, let finer = other.clock else { return self }
        guard let clock else { return other }
        guard (finer.hour, finer.minute) == (clock.hour, clock.minute),
            zone == nil || other.zone == nil || zone == other.zone,
            clock.second == nil || finer.second == clock.second,
            clock.fraction.isEmpty || finer.fraction.hasPrefix(clock.fraction)
        else { return self }
        var refined = self
        refined.clock = finer
        refined.zone = zone ?? other.zone
        return refined
    }

    /// How much of a date is known.
    public enum Precision: String, Sendable {
        case year, month, day
    }

    /// A stored ``text`` as a date and time of RFC 3339 in whole seconds, the first moment of an incomplete date, and
    /// how much of it is known; nil if the time is known too.
    public static func dateTime(_ text: String) -> (text: String, precision: Precision?) {
        switch text.utf8.count {
        case 4: return (text + "-01-01T00:00:00Z", .year)
        case 7: return (text + "-01T00:00:00Z", .month)
        case 10: return (text + "T00:00:00Z", .day)
        default:
            guard let point = text.firstIndex(of: ".") else { return (text, nil) }
            return (String(text[..<point] + text[text.index(after: point)...].drop { $0.isNumber }), nil)
        }
    }
}
