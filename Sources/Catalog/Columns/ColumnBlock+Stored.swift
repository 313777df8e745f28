import FoundationEssentials

extension ColumnBlock {
    /// The format version, raised when the stored layout changes. Blocks with another version are read from the rows
    /// again.
    private static let form: UInt32 = 4

    /// The block as stored in the index, so that the next start need not read a million rows one by one. Numbers are
    /// little-endian, the byte order of all supported machines.
    func stored(_ table: FolderTable) -> Data {
        var data = Data()
        func append<Number>(_ numbers: [Number]) {
            withUnsafeBytes(of: UInt32(numbers.count)) { data.append(contentsOf: $0) }
            numbers.withUnsafeBytes { data.append(contentsOf: $0) }
        }
        // Folder numbers differ in each run, so the block stores the paths of its folders, and each row refers to that
        // list.
        let paths = table.paths
        var numbers: [UInt32: UInt32] = [:]
        var folderPaths: [UInt8] = []
        let own = folders.map { folder -> UInt32 in
            if let number = numbers[folder] { return number }
            let number = UInt32(numbers.count)
            numbers[folder] = number
            folderPaths.append(contentsOf: paths.indices.contains(Int(folder)) ? Array(paths[Int(folder)].utf8) : [])
            folderPaths.append(0)
            return number
        }
        append([Self.form])
        append(folderPaths)
        append(own)
        append(names.bytes)
        append(names.ends)
        append(notes)
        append(noteTexts.bytes)
        append(noteTexts.ends)
        append(sizes)
        append(taken)
        append(ratios)
        append(kinds)
        append(ratings)
        append(sensitivities)
        append(broken)
        append(places.map(\.row))
        append(places.map(\.latitude))
        append(places.map(\.longitude))
        return data
    }

    /// Nil for any data that `stored` did not write.
    convenience init?(stored data: Data, folders table: FolderTable) {
        var reader = StoredReader(data)
        guard let form = reader.numbers(of: UInt32.self), form == [Self.form],
            let folderPaths = reader.numbers(of: UInt8.self), let own = reader.numbers(of: UInt32.self),
            let names = reader.texts(), let notes = reader.numbers(of: UInt16.self), let noteTexts = reader.texts(),
            let sizes = reader.numbers(of: UInt32.self), let taken = reader.numbers(of: Int64.self),
            let ratios = reader.numbers(of: UInt8.self), let kinds = reader.numbers(of: UInt8.self),
            let ratings = reader.numbers(of: Int8.self), let sensitivities = reader.numbers(of: UInt32.self),
            let broken = reader.numbers(of: UInt8.self), let located = reader.numbers(of: UInt16.self),
            let latitudes = reader.numbers(of: Float.self), let longitudes = reader.numbers(of: Float.self),
            reader.isAtEnd
        else { return nil }
        let paths = folderPaths.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
        let lengths = [
            own.count, names.count, notes.count, sizes.count, taken.count, ratios.count, kinds.count, ratings.count,
            sensitivities.count, broken.count,
        ]
        guard lengths.allSatisfy({ $0 == Self.size }), own.allSatisfy({ Int($0) < paths.count }),
            notes.allSatisfy({ Int($0) < noteTexts.count }),
            located.count == latitudes.count, located.count == longitudes.count,
            located.allSatisfy({ Int($0) < Self.size }), zip(located, located.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        let numbers = paths.map { table.number(of: $0) }
        self.init(
            names: names, notes: notes, noteTexts: noteTexts, folders: own.map { numbers[Int($0)] }, sizes: sizes,
            taken: taken, ratios: ratios, kinds: kinds, ratings: ratings, sensitivities: sensitivities,
            broken: broken,
            places: located.indices.map {
                Place(row: located[$0], latitude: latitudes[$0], longitude: longitudes[$0])
            })
    }
}

/// Reads arrays from stored data. Returns nil for data that is truncated or malformed.
private struct StoredReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) { self.data = data }

    var isAtEnd: Bool { offset == data.count }

    mutating func numbers<Number: BitwiseCopyable>(of type: Number.Type) -> [Number]? {
        guard let count = number(), count <= (data.count - offset) / MemoryLayout<Number>.stride else { return nil }
        let size = count * MemoryLayout<Number>.stride
        defer { offset += size }
        return data.withUnsafeBytes { bytes in
            [Number](unsafeUninitializedCapacity: count) { buffer, filled in
                UnsafeMutableRawBufferPointer(buffer).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size]))
                filled = count
            }
        }
    }

    mutating func texts() -> TextColumn? {
        guard let bytes = numbers(of: UInt8.self), let ends = numbers(of: UInt32.self) else { return nil }
        return TextColumn(bytes: bytes, ends: ends)
    }

    private mutating func number() -> Int? {
        guard data.count - offset >= 4 else { return nil }
        defer { offset += 4 }
        return data.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}
