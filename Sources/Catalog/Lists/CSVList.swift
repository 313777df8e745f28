/// A URL list in CSV, separated by commas, semicolons, or tabs (see ``CSVSeparator``). A header names the columns (see
/// ``CSVColumns``): the URL's column is called `url`, `image`, `src` or the like; a column called `name` or `title`
/// contains the display name. Without such a header, the first column that contains a URL is the URL's, and images have
/// no names.
struct CSVList: ListReading {
    /// The longest record in bytes and in lines. The limit on lines keeps an unclosed quote from swallowing much of the
    /// list.
    let limit: Int
    private static let maximumLines = 100

    /// Nil until a line shows it.
    private var separator: UInt8?
    private var columns: CSVColumns?
    private var isFirst = true
    /// The lines of a record that is not complete yet.
    private var pending: [LineSplitter.Line] = []
    private var pendingBytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws {
        // Lines that turned out not to belong to an open record are parsed again.
        var queue = [line]
        while let line = queue.popLast() {
            pending.append(line)
            pendingBytes += (line.bytes?.count ?? limit) + 1
            guard let text = joined() else {
                queue += try giveUp("the line is too long", emit)
                continue
            }
            if line.number == 1, let declared = CSVSeparator.declared(by: text) {
                separator = declared
                forget()
                try emit(.nothing)
                continue
            }
            switch record(text) {
            case .complete(let fields):
                let number = pending[0].number
                forget()
                try read(fields, line: number, emit)
            case .malformed(let reason):
                queue += try giveUp(reason, emit)
            case .open where pending.count >= Self.maximumLines || pendingBytes > limit:
                queue += try giveUp("a quote is not closed", emit)
            case .open:
                break
            }
        }
    }

    mutating func finish(emit: (ListEntry) throws -> Void) throws {
        while !pending.isEmpty {
            for line in try giveUp("a quote is not closed", emit).reversed() { try read(line, emit: emit) }
        }
    }

    private mutating func record(_ text: [UInt8]) -> CSVRecord {
        if separator == nil { separator = CSVSeparator.shown(by: text, isFirst: isFirst) }
        return CSVRecord(text, separator: separator ?? CSVSeparator.comma)
    }

    /// The pending lines as one text; nil if one of them is too long.
    private func joined() -> [UInt8]? {
        if pending.count == 1 { return pending[0].bytes }
        var text: [UInt8] = []
        for line in pending {
            guard let bytes = line.bytes else { return nil }
            if !text.isEmpty || line.number != pending[0].number { text.append(UInt8(ascii: "\n")) }
            text += bytes
        }
        return text
    }

    /// Reports the first pending line as bad, and returns the others in reverse order.
    private mutating func giveUp(
        _ reason: String, _ emit: (ListEntry) throws -> Void
    ) rethrows -> [LineSplitter.Line] {
        let lines = pending
        forget()
        guard let first = lines.first else { return [] }
        try emit(.bad(line: first.number, reason: reason))
        return lines.dropFirst().reversed()
    }

    private mutating func forget() {
        pending.removeAll(keepingCapacity: true)
        pendingBytes = 0
    }

    private mutating func read(_ fields: [[UInt8]], line: Int, _ emit: (ListEntry) throws -> Void) rethrows {
        let fields = fields.map { $0.trimmingSpaces() }
        if fields.allSatisfy(\.isEmpty) || isFirst && fields[0].first == UInt8(ascii: "#") { return try emit(.nothing) }
        if isFirst {
            isFirst = false
            if let named = CSVColumns(header: fields) {
                columns = named
                return try emit(.nothing)
            }
        }
        columns = columns ?? CSVColumns(record: fields)
        guard let columns else {
            let reason = "no column contains a URL; a first line such as name,url says which column does"
            return try emit(.bad(line: line, reason: reason))
        }
        guard columns.url < fields.count else {
            return try emit(.bad(line: line, reason: "the URL column is missing"))
        }
        var stated = ScannedImage.Stated()
        stated.name = columns.name.flatMap { $0 < fields.count ? Self.text(fields[$0]) : nil }
        let entry: ListEntry
        do throws(WebAddress.Fault) {
            entry = .image(try ScannedImage(url: fields[columns.url], stated: stated))
        } catch {
            entry = .bad(line: line, reason: error.reason)
        }
        try emit(entry)
    }

    private static func text(_ field: [UInt8]) -> String {
        String(validating: field, as: UTF8.self) ?? Windows1252.text(field)
    }
}
