/// The sortable, searchable and layout-relevant metadata of images, as dense columns by the rows of one index: about
/// forty bytes per image. Immutable; a newer value shares the unchanged blocks.
struct Columns: Sendable {
    private(set) var blocks: [ColumnBlock?] = []
    /// The folders that the numbers in `ColumnBlock.folders` refer to.
    let folders: FolderTable

    init(folders: FolderTable) { self.folders = folders }

    /// Nil for an unknown row.
    subscript(row: UInt32) -> (block: ColumnBlock, offset: Int)? {
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
    /// The number of rows in a block.
    static let size = 4_096

    /// The folded name of each row.
    let names: TextColumn
    /// For each row, the number of its other searchable text in `noteTexts`. Most pictures of one day share the same
    /// text.
    let notes: [UInt16]
    /// The distinct texts: the fields of `NoteField`, folded, each followed by a newline.
    let noteTexts: TextColumn
    let folders: [UInt32]
    /// Sizes of the originals in bytes; anything larger than 4 GiB counts as 4 GiB.
    let sizes: [UInt32]
    /// See `WallTime.stored`; `unknownTime` if unknown.
    let taken: [Int64]
    /// See `AspectRatio`; 0 if unknown.
    let ratios: [UInt8]
    let kinds: [UInt8]
    /// In stars, -1 for rejected images, 0 without a rating.
    let ratings: [Int8]
    /// ISO speeds; 0 if unknown.
    let sensitivities: [UInt32]
    /// 1 if the image is known to be incomplete.
    let broken: [UInt8]
    /// The locations of the rows that have one, in the order of the rows.
    let places: [Place]

    /// Where the image of a row was taken, in degrees.
    struct Place: Hashable, Sendable {
        let row: UInt16
        let latitude: Float
        let longitude: Float
    }

    /// See `WallTime`; nil if unknown.
    func seconds(at offset: Int) -> Int64? {
        taken[offset] == Self.unknownTime ? nil : WallTime.seconds(taken[offset])
    }

    static let unknownTime = Int64.min
    static let unknownSize = UInt32.max

    init(
        names: TextColumn, notes: [UInt16], noteTexts: TextColumn, folders: [UInt32], sizes: [UInt32], taken: [Int64],
        ratios: [UInt8], kinds: [UInt8], ratings: [Int8], sensitivities: [UInt32], broken: [UInt8],
        places: [Place]
    ) {
        self.names = names
        self.notes = notes
        self.noteTexts = noteTexts
        self.folders = folders
        self.sizes = sizes
        self.taken = taken
        self.ratios = ratios
        self.kinds = kinds
        self.ratings = ratings
        self.sensitivities = sensitivities
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
            kinds: rows.map { $0?.kind.rawValue ?? 0 }, ratings: rows.map { $0?.rating ?? 0 },
            sensitivities: rows.map { $0?.sensitivity ?? 0 },
            broken: rows.map { $0?.isBroken == true ? 1 : 0 },
            places: rows.enumerated().compactMap { number, row in
                row?.place.map {
                    Place(row: UInt16(number), latitude: Float($0.latitude), longitude: Float($0.longitude))
                }
            })
    }
}

/// The data of one row in the index.
struct ColumnRow {
    /// Folded, followed by a newline.
    var name: [UInt8] = []
    /// The fields of `NoteField`, folded, each followed by a newline.
    var note: [UInt8] = []
    var folder = ""
    var size: Int64?
    var taken: Int64?
    var ratio: UInt8 = 0
    var kind = MediaKind.unknown
    var rating: Int8 = 0
    var sensitivity: UInt32 = 0
    var isBroken = false
    var place: (latitude: Double, longitude: Double)?
}

/// The fields of a row's note, in this order.
enum NoteField: Int, CaseIterable, Comparable {
    case title, description, keywords, camera, lens, place

    static func < (first: NoteField, second: NoteField) -> Bool { first.rawValue < second.rawValue }
}
