import CLinux
import Dispatch
import Glibc
import Time

/// Finds the rows of one index that match a view.
///
/// The texts of a block are contiguous, so that one search covers all of them: searching a million names takes a few
/// milliseconds, or a few tens for a word that most of them contain.
struct Matcher {
    /// The terms, most selective and cheapest first. For each word of a term, `folders` says which folders match it, by
    /// folder number; empty if none does.
    private let terms: [(term: Search.Term, folders: [[Bool]])]
    private let columns: Columns
    /// Whether each folder, by number, is in the view; nil if the view is not restricted to a folder.
    private let folder: [Bool]?

    init(_ view: View, columns: Columns, prefix: String) {
        self.columns = columns
        let paths = columns.folders.paths.map { FolderPath.full($0, under: prefix) }
        folder = view.folder.map { wanted in paths.map { FolderPath.contains(wanted, $0) } }
        let folded = prefix.isEmpty ? columns.folders.folded : paths.map { Folding.fold($0) }
        terms = view.search.terms.map { term in
            let folders: [[Bool]] =
                switch term.kind {
                case .word(let word): [folded.map { Self.contains($0, word) }]
                case .date(let words, _): words.map { word in folded.map { Self.contains($0, word) } }
                case .folder(let start): [folded.map { Self.hasPart($0, beginning: start) }]
                default: []
                }
            return (term, folders.map { $0.contains(true) ? $0 : [] })
        }.sorted { Self.cost($0.term) < Self.cost($1.term) }
    }

    private static func cost(_ term: Search.Term) -> Int {
        switch term.kind {
        case .type, .taken, .anniversary, .rating, .sensitivity, .folder, .broken, .near: 0
        case .date: 2_000
        // Longer words are found faster, and less often.
        case .word(let word), .camera(let word), .lens(let word):
            (term.isExcluded ? 2_000 : 1_000) - min(word.count, 999)
        }
    }

    func forEachMatch(in listing: Listing, _ body: (Int) -> Void) {
        let decided = decisions(listing)
        var position = 0
        for entries in listing.blocks {
            for row in entries.rows {
                if Int(row) < decided.count, decided[Int(row)] { body(position) }
                position += 1
            }
        }
    }

    /// Which rows match, for the blocks that the listing uses. Searches blocks on all cores.
    private func decisions(_ listing: Listing) -> [Bool] {
        var isNeeded = [Bool](repeating: false, count: columns.blocks.count)
        for entries in listing.blocks {
            var last = -1
            for row in entries.rows {
                let number = Int(row) / ColumnBlock.size
                guard number != last else { continue }
                last = number
                if number < isNeeded.count { isNeeded[number] = true }
            }
        }
        let needed = isNeeded.indices.filter { isNeeded[$0] }
        var decided = [Bool](repeating: false, count: columns.blocks.count * ColumnBlock.size)
        decided.withUnsafeMutableBufferPointer { decided in
            // Invariant: each block has a part of its own.
            nonisolated(unsafe) let parts = decided
            DispatchQueue.concurrentPerform(iterations: needed.count) { turn in
                guard let block = columns.blocks[needed[turn]] else { return }
                let start = needed[turn] * ColumnBlock.size
                decide(block, UnsafeMutableBufferPointer(rebasing: parts[start..<start + ColumnBlock.size]))
            }
        }
        return decided
    }

    private func decide(_ block: ColumnBlock, _ matches: UnsafeMutableBufferPointer<Bool>) {
        if let folder {
            for place in matches.indices { matches[place] = Self.isIn(folder, block.folders[place]) }
        } else {
            matches.update(repeating: true)
        }
        for (term, folders) in terms {
            let left = matches.count { $0 }
            guard left > 0 else { break }
            if case .word(let word) = term.kind, left < ColumnBlock.size / Self.searchThreshold {
                // Few rows are left, so check each one.
                for place in matches.indices where matches[place] {
                    let isMet = Self.isIn(folders[0], block.folders[place]) || Self.has(word, at: place, block)
                    if isMet == term.isExcluded { matches[place] = false }
                }
                continue
            }
            found(term.kind, folders, block).withUnsafeBufferPointer { found in
                for place in matches.indices { matches[place] = matches[place] && found[place] != term.isExcluded }
            }
        }
    }

    /// If less than one in this many rows of a block is left, checking each of them is cheaper than searching the whole
    /// block.
    private static let searchThreshold = 16

    private func found(_ kind: Search.Kind, _ folders: [[Bool]], _ block: ColumnBlock) -> [Bool] {
        var found = [Bool](repeating: false, count: ColumnBlock.size)
        switch kind {
        case .word(let word): return Self.found(word, folders[0], block)
        case .date(let words, let range):
            let others = zip(words, folders).map { Self.found($0, $1, block) }
            for place in found.indices {
                found[place] = Self.isTaken(range, block.taken[place]) || others.allSatisfy { $0[place] }
            }
        case .folder: for place in found.indices { found[place] = Self.isIn(folders[0], block.folders[place]) }
        case .camera(let word): Self.add(Self.noted(word, in: .camera ... .lens, block), of: block, to: &found)
        case .lens(let word): Self.add(Self.noted(word, in: .lens ... .lens, block), of: block, to: &found)
        case .sensitivity(let range): return block.sensitivities.map { range.contains($0) }
        case .type(let kind): return block.kinds.map { $0 == kind.rawValue }
        case .taken(let range): return block.taken.map { Self.isTaken(range, $0) }
        case .anniversary(let month, let day):
            // Most neighbours were taken on the same day.
            var last: (range: Range<Int64>, isMet: Bool) = (0..<0, false)
            return block.taken.map { stored in
                guard stored != ColumnBlock.unknownTime else { return false }
                let second = WallTime.seconds(stored)
                if !last.range.contains(second) {
                    let taken = CivilDay(ofSecond: second)
                    let first = taken.firstSecond
                    last = (first..<first + 86_400, taken.month == month && taken.day == day)
                }
                return last.isMet
            }
        case .rating(let range): return block.ratings.map { range.contains(Int($0)) }
        case .near(let latitude, let longitude, let kilometres):
            for place in block.places {
                found[Int(place.row)] =
                    GreatCircle.kilometres(
                        from: (latitude, longitude), to: (Double(place.latitude), Double(place.longitude)))
                    <= kilometres
            }
        case .broken: return block.broken.map { $0 == 1 }
        }
        return found
    }

    private static func found(_ word: [UInt8], _ folders: [Bool], _ block: ColumnBlock) -> [Bool] {
        var found =
            folders.isEmpty
            ? [Bool](repeating: false, count: ColumnBlock.size) : block.folders.map { isIn(folders, $0) }
        block.names.forEachOccurrence(of: word) { place, _ in
            found[place] = true
            return nil
        }
        add(noted(word, in: .title ... .place, block), of: block, to: &found)
        return found
    }

    /// Which notes have the word in one of these fields.
    private static func noted(_ word: [UInt8], in fields: ClosedRange<NoteField>, _ block: ColumnBlock) -> [Bool] {
        var noted = [Bool](repeating: false, count: block.noteTexts.count)
        let isAnyField = fields == .title ... .place
        block.noteTexts.forEachOccurrence(of: word) { note, offset in
            let wanted = isAnyField ? nil : range(of: fields, in: note, block.noteTexts)
            if let wanted, offset < wanted.lowerBound { return wanted.lowerBound }
            noted[note] = wanted?.contains(offset) ?? true
            return nil
        }
        return noted
    }

    private static func isTaken(_ range: ClosedRange<Int64>, _ stored: Int64) -> Bool {
        stored != ColumnBlock.unknownTime && range.contains(WallTime.seconds(stored))
    }

    private static func has(_ word: [UInt8], at place: Int, _ block: ColumnBlock) -> Bool {
        block.names.has(word, in: place) || block.noteTexts.has(word, in: Int(block.notes[place]))
    }

    /// Adds the rows that have one of these notes.
    private static func add(_ noted: [Bool], of block: ColumnBlock, to found: inout [Bool]) {
        guard noted.contains(true) else { return }
        for place in found.indices where noted[Int(block.notes[place])] { found[place] = true }
    }

    private static func isIn(_ folders: [Bool], _ number: UInt32) -> Bool {
        Int(number) < folders.count && folders[Int(number)]
    }

    /// Where these fields of a note are in the bytes of all notes. Each field but the last ends with a newline.
    private static func range(of fields: ClosedRange<NoteField>, in note: Int, _ texts: TextColumn) -> Range<Int> {
        let end = Int(texts.ends[note])
        var start = texts.start(of: note)
        var number = 0
        var rest = texts.bytes[start..<end]
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if number == fields.upperBound.rawValue { return start..<newline }
            rest = rest[(newline + 1)...]
            number += 1
            if number == fields.lowerBound.rawValue { start = newline + 1 }
        }
        return number < fields.lowerBound.rawValue ? end..<end : start..<end
    }

    private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
        clinux_find(text, text.count, word, word.count) != nil
    }

    /// Whether a component of the path, or several consecutive ones, begin with this.
    private static func hasPart(_ path: [UInt8], beginning start: [UInt8]) -> Bool {
        let slash = UInt8(ascii: "/")
        return path.starts(with: start) || contains(path, [slash] + start)
    }
}

/// Distances on the globe.
enum GreatCircle {
    /// The haversine formula on a sphere of 6,371 km, accurate to half a per cent.
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

/// Folder paths in the form of `View.folder`.
enum FolderPath {
    /// - Parameter prefix: The name of the source if there are several; empty otherwise.
    static func full(_ path: String, under prefix: String) -> String {
        prefix.isEmpty ? path : path.isEmpty ? prefix : "\(prefix)/\(path)"
    }

    /// Whether the path is the folder, or is beneath it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        let (folder, path) = (Array(folder.utf8), Array(path.utf8))
        return path.starts(with: folder) && (path.count == folder.count || path[folder.count] == UInt8(ascii: "/"))
    }
}
