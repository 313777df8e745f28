import CLinux
import Glibc

/// Finds the rows of one index that a view means.
///
/// The texts of a block lie one after the other, so that a word is looked for in all of them at once: a million names are
/// searched in some milliseconds, for a word that most of them have in some ten.
struct Matcher {
    private let terms: [Search.Term]
    private let columns: Columns
    /// Of each folder's number whether it is meant, where only a folder is.
    private let folder: [Bool]?
    /// Of each term that may be met by the folder, which folders meet it.
    private let foldersByTerm: [[Bool]?]

    init(_ view: View, columns: Columns, prefix: String) {
        terms = view.search.terms
        self.columns = columns
        let paths = columns.folders.paths.map { FolderPath.full($0, beneath: prefix) }
        folder = view.folder.map { wanted in paths.map { FolderPath.contains(wanted, $0) } }
        let folded = prefix.isEmpty ? columns.folders.folded : paths.map { Folding.fold($0) }
        foldersByTerm = view.search.terms.map { term in
            switch term.kind {
            case .word(let word): folded.map { Self.contains($0, word) }
            case .folder(let start): folded.map { Self.hasPart($0, beginning: start) }
            default: nil
            }
        }
    }

    func forEachMatch(in listing: Listing, _ body: (Int) -> Void) {
        // Rows are decided block by block, and asked for in the listing's order.
        var decided = [[Bool]?](repeating: nil, count: columns.blocks.count)
        var position = 0
        for entries in listing.blocks {
            for row in entries.rows {
                let number = Int(row) / ColumnBlock.size
                if number < decided.count, let block = columns.blocks[number] {
                    if decided[number] == nil { decided[number] = matches(block) }
                    if decided[number]?[Int(row) % ColumnBlock.size] == true { body(position) }
                }
                position += 1
            }
        }
    }

    private func matches(_ block: ColumnBlock) -> [Bool] {
        var matches = [Bool](repeating: true, count: ColumnBlock.size)
        if let folder {
            for place in matches.indices { matches[place] = Self.isIn(folder, block.folders[place]) }
        }
        for (number, term) in terms.enumerated() {
            let found = found(term.kind, foldersByTerm[number], block)
            for place in matches.indices where found[place] == term.isExcluded { matches[place] = false }
        }
        return matches
    }

    private func found(_ kind: Search.Kind, _ folders: [Bool]?, _ block: ColumnBlock) -> [Bool] {
        switch kind {
        case .word(let word):
            var found = (0..<ColumnBlock.size).map { Self.isIn(folders ?? [], block.folders[$0]) }
            Self.forEachOccurrence(of: word, in: block) { place, _ in found[place] = true }
            return found
        case .folder: return (0..<ColumnBlock.size).map { Self.isIn(folders ?? [], block.folders[$0]) }
        case .camera(let word):
            var found = [Bool](repeating: false, count: ColumnBlock.size)
            Self.forEachOccurrence(of: word, in: block) { place, offset in
                if Self.field(at: offset, of: place, block) == .camera { found[place] = true }
            }
            return found
        case .type(let kind): return block.kinds.map { $0 == kind.rawValue }
        case .taken(let range): return block.taken.map { $0 != ColumnBlock.unknownTime && range.contains($0) }
        case .near(let latitude, let longitude, let kilometres):
            var found = [Bool](repeating: false, count: ColumnBlock.size)
            for (place, its) in block.places {
                found[Int(place)] =
                    GreatCircle.kilometres(
                        from: (latitude, longitude), to: (Double(its.latitude), Double(its.longitude))) <= kilometres
            }
            return found
        case .broken: return block.broken.map { $0 == 1 }
        }
    }

    private static func isIn(_ folders: [Bool], _ number: UInt32) -> Bool {
        Int(number) < folders.count && folders[Int(number)]
    }

    /// Calls with the place of each row that has the word in its text, and with where it was met.
    private static func forEachOccurrence(of word: [UInt8], in block: ColumnBlock, _ body: (Int, Int) -> Void) {
        block.texts.withUnsafeBytes { texts in
            guard let base = texts.baseAddress else { return }
            var offset = 0
            var place = 0
            while let met = clinux_memmem(base + offset, texts.count - offset, word, word.count) {
                let start = UnsafeRawPointer(met) - base
                while Int(block.ends[place]) <= start { place += 1 }
                // No word has a line end in it, and each row's text ends with one: it lies in one row.
                body(place, start)
                offset = start + 1
            }
        }
    }

    /// The field of the row's text in which the offset lies.
    private static func field(at offset: Int, of place: Int, _ block: ColumnBlock) -> TextField? {
        let before = block.texts[block.start(of: place)..<offset]
        return TextField(rawValue: before.count { $0 == UInt8(ascii: "\n") })
    }

    private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
        clinux_memmem(text, text.count, word, word.count) != nil
    }

    /// Whether a part of the path, or several in a row, begin with this.
    private static func hasPart(_ path: [UInt8], beginning start: [UInt8]) -> Bool {
        let slash = UInt8(ascii: "/")
        return path.starts(with: start) || contains(path, [slash] + start)
    }
}

/// Distances on the globe.
enum GreatCircle {
    /// By the haversine formula on a sphere of 6,371 km, which is exact to half a per cent.
    static func kilometres(
        from: (latitude: Double, longitude: Double), to: (latitude: Double, longitude: Double)
    ) -> Double {
        let radians = Double.pi / 180
        let latitudes = sin((to.latitude - from.latitude) * radians / 2)
        let longitudes = sin((to.longitude - from.longitude) * radians / 2)
        let square =
            latitudes * latitudes
            + cos(from.latitude * radians) * cos(to.latitude * radians) * longitudes * longitudes
        return 2 * 6_371 * asin(min(1, square.squareRoot()))
    }
}

/// Paths of folders as views name them.
enum FolderPath {
    /// - Parameter prefix: the name of the source, where there are several; empty otherwise.
    static func full(_ path: String, beneath prefix: String) -> String {
        prefix.isEmpty ? path : path.isEmpty ? prefix : "\(prefix)/\(path)"
    }

    /// Whether the path is the folder or lies beneath it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        let (folder, path) = (Array(folder.utf8), Array(path.utf8))
        return path.starts(with: folder) && (path.count == folder.count || path[folder.count] == UInt8(ascii: "/"))
    }
}
