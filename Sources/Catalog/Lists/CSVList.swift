/// A list as CSV. A header names the columns: the URL's is called `url`, `image`, `src` or the like (see `urlNames`), a
/// column called `name` or `title` has what people call the picture. Without such a header the first column in which a
/// URL is met is the URL's, and there are no names.
struct CSVList: ListReading {
    private static let urlNames = [
        "url", "image_url", "imageurl", "image-url", "image url", "image", "src", "source", "href", "link", "uri",
        "photo",
        "picture", "file",
    ]
    private static let nameNames = ["name", "title", "caption", "label"]

    /// Bytes and lines of the longest record. The second keeps a quote that is never closed from swallowing much.
    let limit: Int
    private static let mostLines = 100

    private var urlColumn: Int?
    private var nameColumn: Int?
    private var isFirst = true
    /// The lines of a record that is still open.
    private var pending: [LineSplitter.Line] = []
    private var pendingBytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws {
        // Lines that were taken for a part of an open record, and are not, are read again.
        var queue = [line]
        while let line = queue.popLast() {
            pending.append(line)
            pendingBytes += (line.bytes?.count ?? limit) + 1
            guard let text = joined() else {
                queue += try giveUp("the line is too long", emit)
                continue
            }
            switch CSVRecord(text) {
            case .complete(let fields):
                let number = pending[0].number
                forget()
                try read(fields, line: number, emit)
            case .malformed(let reason):
                queue += try giveUp(reason, emit)
            case .open where pending.count >= Self.mostLines || pendingBytes > limit:
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

    /// The pending lines as one text; nil when one of them is too long.
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

    /// Names the first pending line bad, and returns the others, the next one last.
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
            let names = fields.map { String(decoding: $0, as: UTF8.self).lowercased() }
            if let column = Self.urlNames.lazy.compactMap(names.firstIndex(of:)).first {
                urlColumn = column
                nameColumn = Self.nameNames.lazy.compactMap(names.firstIndex(of:)).first
                return try emit(.nothing)
            }
        }
        let column = urlColumn ?? fields.firstIndex { (try? WebAddress.parse($0)) != nil }
        guard let column else { return try emit(.bad(line: line, reason: "no column has a URL")) }
        urlColumn = column
        guard column < fields.count else { return try emit(.bad(line: line, reason: "the URL's column is missing")) }
        var stated = Sighting.Stated()
        stated.name = nameColumn.flatMap { $0 < fields.count ? String(validating: fields[$0], as: UTF8.self) : nil }
        let entry: ListEntry
        do throws(WebAddress.Fault) {
            entry = .image(try Sighting(url: fields[column], stated: stated))
        } catch {
            entry = .bad(line: line, reason: error.reason)
        }
        try emit(entry)
    }
}
