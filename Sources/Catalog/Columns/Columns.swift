import Glibc

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

    /// Folded texts of all rows, one after the other; each is its fields with a line end after each of them.
    let texts: [UInt8]
    /// Where the text of each row ends.
    let ends: [UInt32]
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
    /// Degrees, latitude and longitude by the place of the row, for the rows that have them.
    let places: [UInt16: (latitude: Float, longitude: Float)]

    static let unknownTime = Int64.min
    static let unknownSize = UInt32.max

    init(
        texts: [UInt8], ends: [UInt32], folders: [UInt32], sizes: [UInt32], taken: [Int64], ratios: [UInt8],
        kinds: [UInt8], broken: [UInt8], places: [UInt16: (latitude: Float, longitude: Float)]
    ) {
        self.texts = texts
        self.ends = ends
        self.folders = folders
        self.sizes = sizes
        self.taken = taken
        self.ratios = ratios
        self.kinds = kinds
        self.broken = broken
        self.places = places
    }

    init(_ rows: [ColumnRow?], folders table: FolderTable) {
        var texts: [UInt8] = []
        texts.reserveCapacity(rows.reduce(0) { $0 + ($1?.text.count ?? 0) })
        var places: [UInt16: (latitude: Float, longitude: Float)] = [:]
        ends = rows.map { row in
            if let row { texts.append(contentsOf: row.text) }
            return UInt32(texts.count)
        }
        self.texts = texts
        folders = rows.map { row in row.map { table.number(of: $0.folder) } ?? 0 }
        sizes = rows.map { $0?.size.map { UInt32(clamping: min($0, Int64(UInt32.max) - 1)) } ?? Self.unknownSize }
        taken = rows.map { $0?.taken ?? Self.unknownTime }
        ratios = rows.map { $0?.ratio ?? 0 }
        kinds = rows.map { $0?.kind.rawValue ?? 0 }
        broken = rows.map { $0?.isBroken == true ? 1 : 0 }
        for (place, row) in rows.enumerated() {
            if let found = row?.place { places[UInt16(place)] = (Float(found.latitude), Float(found.longitude)) }
        }
        self.places = places
    }

    /// Hands on the folded name of a row; empty where there is no row.
    func withName<Result>(at place: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        texts.withUnsafeBytes { texts in
            let (start, end) = (start(of: place), Int(ends[place]))
            guard end > start, let base = texts.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), end - start)
            else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
            return body(UnsafeRawBufferPointer(start: base + start, count: UnsafeRawPointer(found) - (base + start)))
        }
    }

    func start(of place: Int) -> Int { place == 0 ? 0 : Int(ends[place - 1]) }
}

/// What the index says of one row.
struct ColumnRow {
    /// The fields of `TextField`, folded, each with a line end.
    var text: [UInt8] = []
    var folder = ""
    var size: Int64?
    var taken: Int64?
    var ratio: UInt8 = 0
    var kind = MediaKind.unknown
    var isBroken = false
    var place: (latitude: Double, longitude: Double)?

    /// Adds to the present field of the text.
    mutating func append(_ words: String) {
        text += Folding.fold(words).map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
    }

    mutating func endField() { text.append(UInt8(ascii: "\n")) }
}

/// What stands in the text of a row, in this order.
enum TextField: Int, CaseIterable {
    case name, title, keywords, camera, place
}

/// Proportions as one byte, so that a million of them are a megabyte: width by height is 2^((byte - 128) / 32), from
/// 1:15.7 to 15.6:1 in steps of 2.2 per cent; 0 is one that is not known.
public enum AspectRatio {
    /// What is assumed of a picture of which it is not known: most cameras and phones make pictures of 4:3.
    public static let assumed = 4.0 / 3

    private static let table: [Double] = (0...255).map { byte in
        byte == 0 ? assumed : power(of: Double(byte - 128) / 32)
    }

    public static func byte(width: Int, height: Int) -> UInt8 {
        guard width > 0, height > 0 else { return 0 }
        let ratio = Double(width) / Double(height)
        // The nearest by proportion: the table is sorted.
        var low = 1
        var high = 255
        while low < high {
            let middle = (low + high) / 2
            if table[middle] * table[middle + 1] < ratio * ratio { low = middle + 1 } else { high = middle }
        }
        return UInt8(low)
    }

    /// Width by height; `assumed` where it is not known.
    public static func ratio(_ byte: UInt8) -> Double { table[Int(byte)] }

    /// 2 to the power of `exponent`, for |exponent| <= 4.
    private static func power(of exponent: Double) -> Double {
        // e^x by its series, which is exact here: |x| is below 3.
        let x = exponent * 0.693_147_180_559_945_3
        return (1...40).reversed().reduce(1.0) { 1 + x / Double($1) * $0 }
    }
}
