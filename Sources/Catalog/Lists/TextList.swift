/// A URL list with one URL per line. Skips blank lines and lines that begin with `#`; drops spaces around a URL.
struct TextList: ListReading {
    func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws {
        guard let bytes = line.bytes else { return try emit(.bad(line: line.number, reason: "the line is too long")) }
        let text = bytes.trimmingSpaces()
        guard !text.isEmpty, text.first != UInt8(ascii: "#") else { return try emit(.nothing) }
        let entry: ListEntry
        do throws(WebAddress.Fault) {
            entry = .image(try ScannedImage(url: text))
        } catch {
            entry = .bad(line: line.number, reason: error.reason)
        }
        try emit(entry)
    }

    func finish(emit: (ListEntry) throws -> Void) throws {}
}

extension Collection where Element == UInt8, SubSequence: BidirectionalCollection<UInt8> {
    /// The bytes without spaces, tabs and carriage returns at both ends.
    func trimmingSpaces() -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
        var text = Array(drop(while: isSpace))
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
