/// Dates as people write them among the words of a search: "2019", "2019-06-30", "June 2019", "30 Jun 2019" or
/// "June 30, 2019".
enum PlainDate {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// The date that these words begin with.
    ///
    /// - Returns: The number of words, the longest possible, and the seconds that they span, see ``WallTime``; nil if
    ///   they begin with no date. A month alone is a word like any other.
    static func beginning(_ words: some Collection<String>) -> (count: Int, span: ClosedRange<Int64>)? {
        let parts = words.prefix(3).map { word in
            (word.hasSuffix(",") ? word.dropLast() : word[...]).lowercased()
        }
        let readings: [(order: [Int], count: Int)] = [([2, 1, 0], 3), ([2, 0, 1], 3), ([1, 0], 2)]
        for reading in readings where parts.count >= reading.count {
            let named = reading.order.map { parts[$0] }
            if let span = span(year: named[0], month: named[1], day: named.count > 2 ? named[2] : nil) {
                return (reading.count, span)
            }
        }
        guard let first = words.first, !first.contains(".."), let span = WallTime.range(first) else { return nil }
        return (1, span)
    }

    private static func span(year: String, month: String, day: String?) -> ClosedRange<Int64>? {
        guard let month = number(ofMonth: month), year.utf8.count == 4 else { return nil }
        guard let day else { return WallTime.range("\(year)-\(twoDigits(month))") }
        guard 1...2 ~= day.utf8.count, let day = Int(day) else { return nil }
        return WallTime.range("\(year)-\(twoDigits(month))-\(twoDigits(day))")
    }

    /// A name may be abbreviated to three letters or more.
    private static func number(ofMonth name: String) -> Int? {
        guard name.utf8.count >= 3 else { return nil }
        return months.firstIndex { $0.hasPrefix(name) }.map { $0 + 1 }
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
