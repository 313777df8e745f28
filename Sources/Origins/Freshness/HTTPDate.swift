/// A moment as HTTP writes it (RFC 9110 §5.6.7), in whole seconds since 1970 UTC.
enum HTTPDate {
    /// Nil unless `text` is a date in one of the three forms: IMF-fixdate, RFC 850, asctime.
    static func parse(_ text: String) -> Int64? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        switch words.count {
        case 6 where words[5] == "GMT":  // Sun, 06 Nov 1994 08:49:37 GMT  or  Sunday, 06-Nov-94 08:49:37 GMT
            guard let year = year(words[3]) else { return nil }
            return moment(day: words[1], month: words[2], year: year, time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            guard words[4].utf8.count == 4, let year = number(words[4]) else { return nil }
            return moment(day: words[2], month: words[1], year: year, time: words[3])
        default:
            return nil
        }
    }

    /// Two digits are of this century, as no date in use today is older than the form's own century rule allows.
    private static func year(_ word: Substring) -> Int64? {
        guard let value = number(word) else { return nil }
        switch word.utf8.count {
        case 4: return value
        case 2: return value < 70 ? 2000 + value : 1900 + value
        default: return nil
        }
    }

    private static func moment(day: Substring, month: Substring, year: Int64, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day), (1...31).contains(day), let month = months.firstIndex(of: String(month)),
            year >= 1600, clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return days(year: year, month: Int64(month + 1), day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ word: Substring) -> Int64? {
        guard (1...4).contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(word)
    }

    /// Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March so that the leap day is
    /// the last one.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
