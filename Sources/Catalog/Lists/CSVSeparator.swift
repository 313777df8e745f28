/// Finds out which character separates the fields of a CSV list: RFC 4180 says a comma, spreadsheets write what the
/// country's numbers leave free, and database tools often write a tab.
enum CSVSeparator {
    static let comma = UInt8(ascii: ",")
    private static let semicolon = UInt8(ascii: ";")
    private static let tab = UInt8(ascii: "\t")
    private static let bar = UInt8(ascii: "|")

    /// The separator that a line like `sep=;` declares, as Excel reads and writes it at the beginning of a file.
    static func declared(by line: [UInt8]) -> UInt8? {
        var text = line[...]
        let quote = UInt8(ascii: "\"")
        if text.first == quote, text.last == quote, text.count > 1 { text = text.dropFirst().dropLast() }
        guard text.count == 5, let separator = text.last, zip(text, "sep=".utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
            return nil
        }
        let isMark = separator < 0x80 && separator != quote && !Character(Unicode.Scalar(separator)).isLetter
        return isMark ? separator : nil
    }

    /// The separator with which a record shows what it means: as the header, or because one of its fields is a URL.
    ///
    /// - Parameter isFirst: Whether the record may be the header.
    static func shown(by text: [UInt8], isFirst: Bool) -> UInt8? {
        var records: [(UInt8, [[UInt8]])] = []
        for separator in [comma, semicolon, tab, bar] where separator == comma || text.contains(separator) {
            guard let fields = CSVRecord(text, separator: separator).fields else { continue }
            records.append((separator, fields.map { $0.trimmingSpaces() }))
        }
        if isFirst, let header = records.first(where: { CSVColumns(header: $0.1) != nil }) { return header.0 }
        // Semicolons may also be part of a URL. So the separator that leaves the plainest URL is the right one; and
        // what follows a semicolon in a URL is usually a parameter.
        let split = records.filter { separator, fields in
            guard separator != bar, fields.count > 1, let url = CSVColumns(record: fields)?.url else { return false }
            return separator != semicolon || url + 1 == fields.count || !fields[url + 1].contains(UInt8(ascii: "="))
        }
        let plain = split.first { _, fields in
            CSVColumns(record: fields).map { !fields[$0.url].contains(where: [comma, semicolon].contains) } ?? false
        }
        return (plain ?? split.first)?.0
    }
}

extension CSVRecord {
    /// The fields of a complete record.
    var fields: [[UInt8]]? {
        if case .complete(let fields) = self { fields } else { nil }
    }
}
