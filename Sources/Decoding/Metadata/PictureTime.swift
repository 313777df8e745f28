/// When a picture was taken, as far as one of those who wrote it down says: a day, perhaps a time of it, perhaps its zone.
struct PictureTime: Equatable {
    /// "2024-05-01"
    private let day: String
    /// "10:00:00"; of a time without seconds "10:00".
    private var time: String?
    /// "+02:00" or "Z"
    private var zone: String?

    /// RFC 3339; without a zone it is taken as UTC, and without a time as midnight.
    var text: String {
        let time = time ?? "00:00"
        return "\(day)T\(time.utf8.count == 5 ? time + ":00" : time)\(zone ?? "Z")"
    }

    /// EXIF's "2024:05:01 10:00:00" and "+02:00" (EXIF 2.32, 4.6.6). Nil unless it is a time.
    init?(exif text: String, offset: String?) {
        let letters = Array(text.utf8)
        guard letters.count == 19, Self.matches(letters, "0000:00:00 00:00:00") else { return nil }
        self.init(day: letters[0..<10], time: letters[11..<19], zone: offset.map { Array($0.utf8)[...] })
    }

    /// XMP's profile of ISO 8601 (ISO 16684-1, 8.2.1.2): "2024-05-01", "2024-05-01T10:00", "2024-05-01T10:00:00.25+02:00".
    init?(xmp text: String) {
        let letters = Array(text.utf8)
        guard letters.count >= 10, Self.matches(letters[0..<10], "0000-00-00") else { return nil }
        guard letters.count > 10 else {
            self.init(day: letters[0..<10], time: nil, zone: nil)
            return
        }
        guard letters[10] == UInt8(ascii: "T") || letters[10] == UInt8(ascii: " ") else { return nil }
        let rest = letters[11...]
        let isZone = { (letter: UInt8) in "Z+-".utf8.contains(letter) }
        let clock = rest.prefix { !isZone($0) && $0 != UInt8(ascii: ".") }
        self.init(day: letters[0..<10], time: clock, zone: rest.drop { !isZone($0) })
    }

    /// IIM's "20240501" and "100000+0200" (IPTC-NAA Information Interchange Model 4.2, 2:55 and 2:60).
    init?(iptc date: [UInt8], time: [UInt8]?) {
        guard date.count == 8, Self.matches(date, "00000000") else { return nil }
        let day = date[0..<4] + [UInt8(ascii: "-")] + date[4..<6] + [UInt8(ascii: "-")] + date[6..<8]
        guard let time, time.count >= 6 else {
            self.init(day: Array(day)[...], time: nil, zone: nil)
            return
        }
        let colon = [UInt8(ascii: ":")]
        let clock = time[0..<2] + colon + time[2..<4] + colon + time[4..<6]
        let zone = time.count == 11 ? Array(time[6..<9] + colon + time[9..<11])[...] : nil
        self.init(day: Array(day)[...], time: Array(clock)[...], zone: zone)
    }

    private init?(day: ArraySlice<UInt8>, time: ArraySlice<UInt8>?, zone: ArraySlice<UInt8>?) {
        let number = { (letters: ArraySlice<UInt8>) in letters.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        let start = day.startIndex
        let (year, month) = (number(day[start..<start + 4]), number(day[start + 5..<start + 7]))
        let date = number(day[start + 8..<start + 10])
        guard year > 0, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(date)
        else { return nil }
        self.day = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(date, 2)
        guard let time else { return }
        let first = time.startIndex
        guard Self.matches(time, "00:00:00") || Self.matches(time, "00:00"), number(time[first..<first + 2]) < 24,
            number(time[first + 3..<first + 5]) < 60, time.count < 8 || number(time[first + 6..<first + 8]) < 60
        else { return nil }
        self.time = String(decoding: time, as: UTF8.self)
        self.zone = zone.flatMap(Self.zone)
    }

    /// This time with what it leaves open taken from another writer's, where that one agrees with it: the same moment
    /// with its seconds, or with its zone.
    func refined(by other: PictureTime?) -> PictureTime {
        guard let other, other.day == day, let otherTime = other.time else { return self }
        guard let time else { return other }
        guard otherTime.hasPrefix(time), zone == nil || zone == other.zone else { return self }
        return other.zone == nil && zone != nil ? self : other
    }

    private static func zone(_ letters: ArraySlice<UInt8>) -> String? {
        if letters.elementsEqual("Z".utf8) { return "Z" }
        guard matches(letters, "+00:00") || matches(letters, "-00:00") else { return nil }
        let start = letters.startIndex
        guard letters[start + 1..<start + 3].lexicographicallyPrecedes("24".utf8),
            letters[start + 4..<start + 6].lexicographicallyPrecedes("60".utf8)
        else { return nil }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether `letters` look like `pattern`, where 0 stands for any digit.
    private static func matches(_ letters: some Collection<UInt8>, _ pattern: String) -> Bool {
        letters.count == pattern.utf8.count
            && zip(letters, pattern.utf8).allSatisfy { letter, wanted in
                wanted == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter) : letter == wanted
            }
    }
}
