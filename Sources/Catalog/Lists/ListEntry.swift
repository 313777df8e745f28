import Time

/// The content of one line (or CSV record) of a URL list.
enum ListEntry: Hashable {
    case image(ScannedImage)
    /// Blank, a comment, or a header.
    case nothing
    /// An unusable line: its number, from 1, and the reason.
    case bad(line: Int, reason: String)
}

/// Parses one format of URL lists: lines in, entries out, without I/O.
protocol ListReading {
    /// Takes the next line, which may complete any number of entries.
    mutating func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws
    /// Called at the end of the list.
    mutating func finish(emit: (ListEntry) throws -> Void) throws
}

extension Source.ListFormat {
    /// - Parameter limit: The longest record in bytes.
    func reader(limit: Int) -> any ListReading {
        switch self {
        case .text: TextList()
        case .csv: CSVList(limit: limit)
        case .jsonLines: JSONLinesList()
        }
    }
}

extension ScannedImage {
    /// An image of a list. Stated values that cannot be true are dropped.
    init(url: some Collection<UInt8>, stated: Stated = Stated()) throws(WebAddress.Fault) {
        self.init(location: try WebAddress.parse(url), original: .url)
        func pixels(_ value: Int?) -> Int? { value.flatMap { (1...1_000_000).contains($0) ? $0 : nil } }
        let name = stated.name.map { FilePath.printable(Self.cut($0)) }
        self.stated.name = name?.isEmpty == false ? name : nil
        self.stated.width = pixels(stated.width)
        self.stated.height = pixels(stated.height)
        self.stated.takenAt = stated.takenAt.flatMap { Timestamp($0) == nil ? nil : $0 }
    }

    /// At most 255 characters, and at most 1,024 bytes: one character can consist of any number of scalars.
    private static func cut(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 1_024 else { break }
            scalars.append(scalar)
        }
        return String(String(scalars).prefix(255))
    }
}
