@testable import Catalog

enum CSVTarget: FuzzTarget {
    static func run(_ input: [UInt8]) { ListFuzz.run(input, .csv) }
}

enum JSONLinesTarget: FuzzTarget {
    static func run(_ input: [UInt8]) { ListFuzz.run(input, .jsonLines) }
}

enum TextListTarget: FuzzTarget {
    static func run(_ input: [UInt8]) { ListFuzz.run(input, .text) }
}

/// A URL list: the entries are the same for any splitting into pieces, and each image has a URL that can be fetched.
private enum ListFuzz {
    private static let limit = 256

    static func run(_ input: [UInt8], _ format: Source.ListFormat) {
        let pieces = Pieces(input)
        let atOnce = entries(format) { read in read(pieces.bytes[...]) }
        let inPieces = entries(format) { read in pieces.forEach(read) }
        precondition(atOnce == inPieces, "the same list is read in two ways")
        let lines = pieces.bytes.count { $0 == UInt8(ascii: "\n") } + 1
        precondition(atOnce.count <= lines, "a line makes several entries")
        for entry in atOnce {
            switch entry {
            case .nothing: break
            case .bad(let line, let reason): precondition((1...lines).contains(line) && !reason.isEmpty)
            case .image(let sighting): look(at: sighting)
            }
        }
    }

    private static func look(at sighting: ScannedImage) {
        for pixels in [sighting.stated.width, sighting.stated.height] { precondition((pixels ?? 1) > 0) }
        if let name = sighting.stated.name { precondition(!name.isEmpty && name == FilePath.printable(name)) }
        let url = sighting.location
        do throws(WebAddress.Fault) {
            // An accepted URL is parsed unchanged again.
            let again = try WebAddress.parse(url.utf8)
            precondition(again == url || url.utf8.count > WebAddress.maximumLength)
        } catch {
            precondition(url.utf8.count > WebAddress.maximumLength, "a URL was taken that is none")
        }
        precondition(!WebAddress.name(of: url).isEmpty)
    }

    private static func entries(
        _ format: Source.ListFormat, feed: ((ArraySlice<UInt8>) -> Void) -> Void
    ) -> [ListEntry] {
        var (reader, splitter) = (format.reader(limit: limit), LineSplitter(limit: limit))
        var decoder = ListDecoder()
        var entries: [ListEntry] = []
        let take = { (line: LineSplitter.Line) in try! reader.read(line) { entries.append($0) } }
        feed { piece in
            Array(piece).withUnsafeBytes { decoder.read($0) { splitter.read($0, emit: take) } }
        }
        decoder.finish { splitter.read($0, emit: take) }
        splitter.finish(emit: take)
        try! reader.finish { entries.append($0) }
        return entries
    }
}
