import FileHeads

/// The properties of the items in a HEIC or AVIF file (ISO/IEC 23008-12, §9.3).
struct ItemProperties {
    /// The number of the item that is the picture.
    private(set) var primary: Int64 = 0
    /// In order; items refer to them by their number, from 1 on.
    private var properties: [(name: ArraySlice<UInt8>, content: ArraySlice<UInt8>)] = []
    private var associations: [Int64: [Int]] = [:]
    /// The first item from which another is derived, such as the first tile of a grid.
    private var firstPart: [Int64: Int64] = [:]

    private static let maximumBoxes = 2_000
    /// The maximum length in bytes of a property. Only profiles are longer, and those come from the decoder.
    private static let maximumLength = 4_096
    /// The maximum length in bytes of a table of items.
    private static let maximumTable = 1 << 20

    /// Nil if the file does not say which item is the picture. Leaves the reader at any position.
    init?(_ reader: SourceReader) {
        let file = ISOBoxes(in: 0..<reader.length, of: reader, upTo: Self.maximumBoxes)
        guard let meta = file.first(where: { $0.isNamed("meta") }) else { return nil }
        var number: Int64?
        // Version and flags precede the boxes.
        for box in ISOBoxes(in: meta.content.dropFirst(4), of: reader, upTo: Self.maximumBoxes) {
            if box.isNamed("pitm") {
                number = Self.table(box, reader).flatMap { $0.dropFirst(4).first($0.first == 0 ? 2 : 4) }
            } else if box.isNamed("iref") {
                takeReferences(box, reader)
            } else if box.isNamed("iprp") {
                for part in ISOBoxes(in: box.content, of: reader, upTo: Self.maximumBoxes) {
                    if part.isNamed("ipco") { takeProperties(part, reader) }
                    if part.isNamed("ipma"), let table = Self.table(part, reader) { takeAssociations(table) }
                }
            }
        }
        guard let number else { return nil }
        primary = number
    }

    /// The contents of all properties of the primary item with this name, in order; of the first item from which it is
    /// derived, if it has none itself.
    func all(_ name: String) -> [ArraySlice<UInt8>] {
        let own = all(name, of: primary)
        guard own.isEmpty, let part = firstPart[primary] else { return own }
        return all(name, of: part)
    }

    private func all(_ name: String, of item: Int64) -> [ArraySlice<UInt8>] {
        (associations[item] ?? []).compactMap { number in
            guard properties.indices.contains(number - 1) else { return nil }
            let property = properties[number - 1]
            return property.name.elementsEqual(name.utf8) ? property.content : nil
        }
    }

    private static func table(_ box: ISOBox, _ reader: SourceReader) -> ArraySlice<UInt8>? {
        box.content.count <= maximumTable
            ? reader.slice(at: box.content.lowerBound, count: box.content.count) : nil
    }

    private mutating func takeProperties(_ container: ISOBox, _ reader: SourceReader) {
        for box in ISOBoxes(in: container.content, of: reader, upTo: Self.maximumBoxes) {
            let count = min(box.content.count, Self.maximumLength)
            properties.append((box.name, reader.slice(at: box.content.lowerBound, count: count) ?? []))
        }
    }

    private mutating func takeAssociations(_ table: ArraySlice<UInt8>) {
        guard let version = table.first, let flags = table.dropFirst(3).first else { return }
        let (itemWidth, width) = (version < 1 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
        var rest = table.dropFirst(8)
        while let item = rest.first(itemWidth), let count = rest.dropFirst(itemWidth).first {
            rest = rest.dropFirst(itemWidth + 1)
            var numbers: [Int] = []
            for _ in 0..<count {
                guard let number = rest.first(width) else { return }
                // The highest bit says whether a reader must understand the property.
                numbers.append(Int(number) & (width == 2 ? 0x7fff : 0x7f))
                rest = rest.dropFirst(width)
            }
            associations[item, default: []] += numbers
        }
    }

    /// Item reference box (ISO/IEC 14496-12, §8.11.12).
    private mutating func takeReferences(_ box: ISOBox, _ reader: SourceReader) {
        guard let version = reader.slice(at: box.content.lowerBound, count: 4)?.first else { return }
        let width = version == 0 ? 2 : 4
        for reference in ISOBoxes(in: box.content.dropFirst(4), of: reader, upTo: Self.maximumBoxes)
        where reference.isNamed("dimg") {
            guard let head = reader.slice(at: reference.content.lowerBound, count: 2 * width + 2),
                let from = head.first(width), let to = head.dropFirst(width + 2).first(width)
            else { continue }
            firstPart[from] = firstPart[from] ?? to
        }
    }
}
