/// What images are sorted, searched and laid out by, as dense columns by the rows of one index: some forty bytes an image.
/// Immutable; a newer one shares the blocks that have not changed.
struct Columns: Sendable {
    private(set) var blocks: [ColumnBlock?] = []
    /// The folders that `ColumnBlock.folders` numbers.
    let folders: FolderTable

    init(folders: FolderTable) { self.folders = folders }

    /// Nil for a row that is not known here.
    subscript(row: UInt32) -> (block: ColumnBlock, place: Int)? {
        let number = Int(row) / ColumnBlock.size
        guard number < blocks.count, let block = blocks[number] else { return nil }
        return (block, Int(row) % ColumnBlock.size)
    }

    mutating func set(_ block: ColumnBlock, at number: Int) {
        while blocks.count <= number { blocks.append(nil) }
        blocks[number] = block
    }
}

/// The columns of a run of rows.
final class ColumnBlock: Sendable {
    /// Rows of a block.
    static let size = 4_096

    /// The folded name of each row.
    let names: TextColumn
    /// What else is searched, for each row the number of its text in `noteTexts`: most pictures of a day have the same.
    let notes: [UInt16]
    /// The fields of `NoteField`, folded, each with a line end; no two are the same.
    let noteTexts: TextColumn
    let folders: [UInt32]
    /// Bytes of the original; what is larger than 4 GiB counts as that.
    let sizes: [UInt32]
    /// See `WallTime`; `unknownTime` where it is not known.
    let taken: [Int64]
    /// See `AspectRatio`; 0 where it is not known.
    let ratios: [UInt8]
    let kinds: [UInt8]
    /// 1 where the picture is known to be incomplete.
    let broken: [UInt8]
    /// Of the rows that have one, in their order.
    let places: [Place]

    /// Where the picture of a row was taken, in degrees.
    struct Place: Hashable, Sendable {
        let row: UInt16
        let latitude: Float
        let longitude: Float
    }

    static let unknownTime = Int64.min
    static let unknownSize = UInt32.max

    init(
        names: TextColumn, notes: [UInt16], noteTexts: TextColumn, folders: [UInt32], sizes: [UInt32], taken: [Int64],
        ratios: [UInt8], kinds: [UInt8], broken: [UInt8], places: [Place]
    ) {
        self.names = names
        self.notes = notes
        self.noteTexts = noteTexts
        self.folders = folders
        self.sizes = sizes
        self.taken = taken
        self.ratios = ratios
        self.kinds = kinds
        self.broken = broken
        self.places = places
    }

    convenience init(_ rows: [ColumnRow?], folders table: FolderTable) {
        var numbers: [[UInt8]: UInt16] = [:]
        var noteTexts: [[UInt8]] = []
        let notes = rows.map { row -> UInt16 in
            let text = row?.note ?? []
            if let number = numbers[text] { return number }
            let number = UInt16(noteTexts.count)
            numbers[text] = number
            noteTexts.append(text)
            return number
        }
        self.init(
            names: TextColumn(rows.map { $0?.name ?? [] }), notes: notes, noteTexts: TextColumn(noteTexts),
            folders: rows.map { row in row.map { table.number(of: $0.folder) } ?? 0 },
            sizes: rows.map { $0?.size.map { UInt32(clamping: min($0, Int64(UInt32.max) - 1)) } ?? Self.unknownSize },
            taken: rows.map { $0?.taken ?? Self.unknownTime }, ratios: rows.map { $0?.ratio ?? 0 },
            kinds: rows.map { $0?.kind.rawValue ?? 0 }, broken: rows.map { $0?.isBroken == true ? 1 : 0 },
            places: rows.enumerated().compactMap { number, row in
                row?.place.map {
                    Place(row: UInt16(number), latitude: Float($0.latitude), longitude: Float($0.longitude))
                }
            })
    }
}

/// What the index says of one row.
struct ColumnRow {
    /// Folded, with a line end.
    var name: [UInt8] = []
    /// The fields of `NoteField`, folded, each with a line end.
    var note: [UInt8] = []
    var folder = ""
    var size: Int64?
    var taken: Int64?
    var ratio: UInt8 = 0
    var kind = MediaKind.unknown
    var isBroken = false
    var place: (latitude: Double, longitude: Double)?
}

/// What stands in the note of a row, in this order.
enum NoteField: Int, CaseIterable {
    case title, keywords, camera, place
}
