/// Dates in the names of files, as phones, messengers and screenshot tools write them.
extension PictureTime {
    /// The year from which on a number in a file's name may be a date.
    public static let earliestNamedYear = 1990

    /// Parses the first date in a file's name, with its time if there is one: `IMG_20180821_100217`,
    /// `PXL_20201018_123456789`, `IMG-20201018-WA0007`, `2018-08-21 10.01.17`, `WhatsApp Image 2021-03-04 at 10.11.12`,
    /// `20180821100217`, and `FB_IMG_1534847537000`, which counts milliseconds since 1970.
    ///
    /// Nil unless the digits can hardly be anything else. Counters of cameras, sizes in pixels, hashes and phone numbers
    /// are not dates.
    ///
    /// - Parameters:
    ///   - name: The name with or without its extension.
    ///   - year: The latest plausible year. The earliest one is ``earliestNamedYear``.
    public init?(fileName name: some StringProtocol, through year: Int) {
        guard year >= Self.earliestNamedYear,
            let time = FileNameScanner(Array(name.utf8), years: Self.earliestNamedYear...year).time
        else { return nil }
        self = time
    }
}

/// Looks for a date in a name.
private struct FileNameScanner {
    /// The name without its extension.
    private let stem: ArraySlice<UInt8>
    private let years: ClosedRange<Int>

    /// The longest extension, without its dot.
    private static let longestExtension = 5

    init(_ name: [UInt8], years: ClosedRange<Int>) {
        self.years = years
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let suffix = name[dot...].dropFirst()
        let isExtension = suffix.count <= Self.longestExtension && suffix.contains(where: Self.isLetter)
        stem = isExtension ? name[..<dot] : name[...]
    }

    var time: PictureTime? {
        guard !isUUID else { return nil }
        var position = 0
        while position < stem.count {
            let count = digits(at: position)
            if let time = time(at: position, digits: count) { return time }
            position += max(1, count)
        }
        return nil
    }

    private func time(at start: Int, digits count: Int) -> PictureTime? {
        guard [4, 8, 13, 14, 17].contains(count), isWordStart(start) else { return nil }
        switch count {
        case 4: return separated(at: start)
        // A number in front makes it a part of something longer, such as a phone number.
        case _ where followsNumber(start): return nil
        case 8: return date(at: start).flatMap { finished($0, at: start + 8) }
        case 13: return milliseconds(at: start)
        default:
            guard isWordEnd(start + count), let clock = clock(at: start + 8, digits: count - 8) else { return nil }
            return date(at: start).flatMap { $0.at(clock) }
        }
    }

    // MARK: - Dates

    /// "20180821".
    private func date(at start: Int) -> NamedDay? { day(number(start, 4), number(start + 4, 2), number(start + 6, 2)) }

    /// "2018-08-21", "2018_08_21" or "2018.08.21".
    private func separated(at start: Int) -> PictureTime? {
        guard let separator = byte(start + 4), "-_.".utf8.contains(separator), byte(start + 7) == separator,
            digits(at: start + 5) == 2, digits(at: start + 8) == 2,
            // Otherwise these are some of the numbers of a longer row.
            !(followsNumber(start) && byte(start - 1) == separator)
        else { return nil }
        let day = day(number(start, 4), number(start + 5, 2), number(start + 8, 2))
        return day.flatMap { finished($0, at: start + 10) }
    }

    /// Milliseconds since 1970, as Facebook and WeChat name their files.
    private func milliseconds(at start: Int) -> PictureTime? {
        let end = start + 13
        let isFollowed = byte(end).map("_-".utf8.contains) == true && digits(at: end + 1) > 0
        guard isWordEnd(end), !isFollowed else { return nil }
        let time = PictureTime(
            secondsSinceEpoch: Int64(number(start, 10)), fraction: number(start + 10, 3).padded(3))
        return time.flatMap { years.contains($0.year) ? $0 : nil }
    }

    private func day(_ year: Int, _ month: Int, _ day: Int) -> NamedDay? {
        guard years.contains(year), let date = CivilDay(year: year, month: month, day: day), date.exists else {
            return nil
        }
        return NamedDay(date: date)
    }

    /// A day with the time that follows it; the day alone if something else follows. Nil if its last digit is followed
    /// by what makes it something else than a day.
    private func finished(_ day: NamedDay, at end: Int) -> PictureTime? {
        guard let next = byte(end) else { return day.at(nil) }
        let start: Int
        switch next {
        case UInt8(ascii: "T"), UInt8(ascii: "t"):
            guard digits(at: end + 1) > 0 else { return nil }
            start = end + 1
        case _ where Self.isLetterOrDigit(next): return nil
        default: start = end + (filler(at: end)?.utf8CodeUnitCount ?? 1)
        }
        switch digits(at: start) {
        case let count where count == 6 || count == 9:
            return isWordEnd(start + count) ? clock(at: start, digits: count).flatMap { day.at($0) } : nil
        // A time, or a counter.
        case 1...2: return day.at(separatedClock(at: start))
        case 0, 3...4: return day.at(nil)
        default: return nil
        }
    }

    /// What stands between a day and a time, if it is more than one character.
    private func filler(at start: Int) -> StaticString? {
        let fillers: [StaticString] = [" at ", "_at_", ", "]
        return fillers.first { filler in
            (0..<filler.utf8CodeUnitCount).allSatisfy { byte(start + $0) == filler.utf8Start[$0] }
        }
    }

    // MARK: - Times of day

    /// "100217", or "100217123" with milliseconds.
    private func clock(at start: Int, digits count: Int) -> PictureTime.Clock? {
        let clock = PictureTime.Clock(
            hour: number(start, 2), minute: number(start + 2, 2), second: number(start + 4, 2),
            fraction: count > 6 ? number(start + 6, count - 6).padded(count - 6) : "")
        return isValid(clock) ? clock : nil
    }

    /// "10.02.17", "10-02-17" or "9.25.30 PM". Seconds may be followed by milliseconds.
    private func separatedClock(at start: Int) -> PictureTime.Clock? {
        let count = digits(at: start)
        let minutes = start + count + 1
        guard let separator = byte(start + count), "-_.:".utf8.contains(separator), digits(at: minutes) == 2,
            byte(minutes + 2) == separator, digits(at: minutes + 3) == 2
        else { return nil }
        let end = minutes + 5
        var hour = number(start, count)
        switch half(at: end) {
        case UInt8(ascii: "a") where hour == 12: hour = 0
        case UInt8(ascii: "p") where hour < 12: hour += 12
        case nil where count == 1: return nil
        default: break
        }
        let hasFraction = byte(end) == separator && digits(at: end + 1) == 3 && isWordEnd(end + 4)
        let clock = PictureTime.Clock(
            hour: hour, minute: number(minutes, 2), second: number(minutes + 3, 2),
            fraction: hasFraction ? number(end + 1, 3).padded(3) : "")
        return isValid(clock) ? clock : nil
    }

    private func isValid(_ clock: PictureTime.Clock) -> Bool {
        0...23 ~= clock.hour && 0...59 ~= clock.minute && 0...59 ~= clock.second ?? 0
    }

    /// The first letter of "AM" or "PM", in lower case, after blanks of any kind.
    private func half(at start: Int) -> UInt8? {
        var position = start
        while let byte = byte(position), byte == 0x20 || byte >= 0x80, position < start + 4 { position += 1 }
        guard let first = byte(position).map({ $0 | 0x20 }), "ap".utf8.contains(first),
            byte(position + 1).map({ $0 | 0x20 }) == UInt8(ascii: "m"), isWordEnd(position + 2)
        else { return nil }
        return first
    }

    // MARK: - Bytes

    /// The byte at a place; nil outside the name.
    private func byte(_ position: Int) -> UInt8? { position >= 0 && position < stem.count ? stem[position] : nil }

    /// The number of digits from a place on.
    private func digits(at position: Int) -> Int {
        position < stem.count ? stem[position...].prefix(while: Self.isDigit).count : 0
    }

    /// The number in these digits.
    private func number(_ start: Int, _ count: Int) -> Int {
        stem[start..<start + count].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Whether nothing precedes a digit in its word, or a word such as "IMG" that cannot be a part of a hash.
    private func isWordStart(_ start: Int) -> Bool {
        let word = stem[..<start].reversed().prefix(while: Self.isLetterOrDigit)
        let isHexadecimal = word.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }
        return word.isEmpty || word.count > 1 && word.allSatisfy(Self.isLetter) && !isHexadecimal
    }

    private func isWordEnd(_ end: Int) -> Bool { byte(end).map { !Self.isLetterOrDigit($0) } ?? true }

    /// Whether a separator with a digit in front of it precedes a digit.
    private func followsNumber(_ start: Int) -> Bool {
        guard let separator = byte(start - 1), !Self.isLetterOrDigit(separator) else { return false }
        return byte(start - 2).map(Self.isDigit) ?? false
    }

    private var isUUID: Bool { stem.count == 36 && [8, 13, 18, 23].allSatisfy { stem[$0] == UInt8(ascii: "-") } }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
}

/// A day in a name that exists.
private struct NamedDay {
    let date: CivilDay

    func at(_ clock: PictureTime.Clock?) -> PictureTime? {
        PictureTime(year: date.year, month: date.month, day: date.day, clock: clock)
    }
}
