/// One record of a CSV file (RFC 4180 section 2): fields between separators. A quoted field may contain separators,
/// line ends and doubled quotes.
enum CSVRecord: Hashable {
    case complete([[UInt8]])
    /// The text ends inside quotes, so the record continues on the next line.
    case open
    case malformed(reason: String)

    /// - Parameter separator: A comma by the RFC; spreadsheets write a semicolon where a comma is the decimal sign.
    init(_ text: [UInt8], separator: UInt8 = UInt8(ascii: ",")) {
        let quote = UInt8(ascii: "\"")
        var fields: [[UInt8]] = []
        var position = 0
        while true {
            var field: [UInt8] = []
            if position < text.count, text[position] == quote {
                position += 1
                while true {
                    guard let end = text[position...].firstIndex(of: quote) else {
                        self = .open
                        return
                    }
                    field += text[position..<end]
                    position = end + 1
                    guard position < text.count, text[position] == quote else { break }
                    field.append(quote)
                    position += 1
                }
                guard position == text.count || text[position] == separator else {
                    self = .malformed(reason: "text follows a closing quote")
                    return
                }
            } else {
                let end = text[position...].firstIndex(of: separator) ?? text.count
                field += text[position..<end]
                position = end
            }
            fields.append(field)
            guard position < text.count else { break }
            position += 1
        }
        self = .complete(fields)
    }
}
