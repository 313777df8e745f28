/// What one line (or CSV record) of a list says.
enum ListEntry: Hashable {
    case image(Sighting)
    /// Blank, a comment, or a header.
    case nothing
    /// Unusable; the line, from 1, and why.
    case bad(line: Int, reason: String)
}

/// How one format of list is understood: lines in, entries out, without I/O.
protocol ListReading {
    /// Takes the next line; it may complete no entry, one or several.
    mutating func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws
    /// The list is at its end.
    mutating func finish(emit: (ListEntry) throws -> Void) throws
}

extension Source.ListFormat {
    /// - Parameter limit: Bytes of the longest record.
    func reader(limit: Int) -> any ListReading {
        switch self {
        case .text: TextList()
        case .csv: CSVList(limit: limit)
        case .jsonLines: JSONLinesList()
        }
    }
}

extension Sighting {
    /// An image of a list; what is stated is kept only as far as it can be true.
    init(url: some Collection<UInt8>, stated: Stated = Stated()) throws(WebAddress.Fault) {
        self.init(location: try WebAddress.parse(url), original: .url)
        func pixels(_ value: Int?) -> Int? { value.flatMap { (1...1_000_000).contains($0) ? $0 : nil } }
        let name = stated.name.map { FilePath.printable(String($0.prefix(255))) }
        self.stated.name = name?.isEmpty == false ? name : nil
        self.stated.width = pixels(stated.width)
        self.stated.height = pixels(stated.height)
        self.stated.takenAt = stated.takenAt.flatMap { Timestamp.isValid($0) ? $0 : nil }
    }
}
