import FileHeads

/// How the primary image of a HEIC or AVIF is to be cropped, turned and mirrored (ISO/IEC 23008-12, 6.5.8 to 6.5.12).
///
/// The decoder does not do that, but we: older versions of libheif (1.15) reject images that list these properties before
/// their size, and also turn each cell of a grid whose cells have them.
struct HEIFTransformations: Equatable {
    /// The part of the stored image to display; nil if that is all of it.
    private(set) var crop: PixelRectangle?
    /// How the part is to be turned, as EXIF's orientation: 1 to 8.
    private(set) var orientation = 1
    /// The bytes under which the decoder finds no such properties, by their positions in the file: every item gets its
    /// size a second time instead.
    private(set) var replacements: [Int64: UInt8] = [:]
    /// Whether thumbnails of the image are to be turned otherwise than the image itself.
    private(set) var hasOtherThumbnails = false

    /// The effect of turning and mirroring, by the number of the item.
    private var orientations: [Int64: Int] = [:]

    private static let maximumBoxes = 2_000
    /// The maximum length in bytes of the properties of all items.
    private static let maximumLength = 1 << 20

    private struct Property {
        let name: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>

        func isNamed(_ text: String) -> Bool { name.elementsEqual(text.utf8) }
        var isTransformation: Bool { isNamed("irot") || isNamed("imir") || isNamed("clap") }

        /// The orientation after this transformation.
        func turning(after orientation: Int) -> Int {
            let value = Int(content.first ?? 0)
            // Quarter turns to the left; or top and bottom, left and right exchanged.
            let next = isNamed("irot") ? [1, 8, 3, 6][value & 3] : isNamed("imir") ? [4, 2][value & 1] : 1
            return HEIFTransformations.combined(orientation, then: next)
        }
    }

    /// Nil if no item has such properties, or the file is malformed.
    init?(_ reader: SourceReader) {
        func boxes(in range: Range<Int64>) -> [ISOBox] {
            Array(ISOBoxes(in: range, of: reader, upTo: Self.maximumBoxes))
        }
        func bytes(_ range: Range<Int64>?) -> ArraySlice<UInt8>? {
            range.flatMap { $0.count <= Self.maximumLength ? reader.slice(at: $0.lowerBound, count: $0.count) : nil }
        }
        func content(_ name: String, of boxes: [ISOBox]) -> Range<Int64>? {
            boxes.first { $0.isNamed(name) }?.content
        }
        // Version and flags precede the boxes.
        guard let meta = content("meta", of: boxes(in: 0..<reader.length)).map({ boxes(in: $0.dropFirst(4)) }),
            let primary = content("pitm", of: meta).flatMap(bytes).flatMap({
                $0.dropFirst(4).first($0.first == 0 ? 2 : 4)
            }),
            let parts = content("iprp", of: meta).map(boxes),
            let list = content("ipco", of: parts)
        else { return nil }
        let properties = boxes(in: list).map { Property(name: $0.name, content: bytes($0.content) ?? []) }
        guard properties.contains(where: \.isTransformation) else { return nil }
        for box in parts where box.isNamed("ipma") {
            guard let content = bytes(box.content) else { return nil }
            guard take(content, at: box.content.lowerBound, properties, primary: primary) else { return nil }
        }
        if replacements.isEmpty { return nil }
        let references = content("iref", of: meta)
        let isWide = references.flatMap { bytes($0)?.first } == 1
        for box in references.map({ boxes(in: $0.dropFirst(4)) }) ?? [] where box.isNamed("thmb") {
            guard let thumbnail = bytes(box.content)?.first(isWide ? 4 : 2) else { continue }
            if orientations[thumbnail] ?? 1 != orientation { hasOtherThumbnails = true }
        }
    }

    /// Which items have which properties (item property association box). False if it is malformed.
    private mutating func take(
        _ box: ArraySlice<UInt8>, at start: Int64, _ properties: [Property], primary: Int64
    ) -> Bool {
        guard let head = box.first(4), let count = box.dropFirst(4).first(4) else { return false }
        let (idWidth, width) = (head >> 24 == 0 ? 2 : 4, head & 1 == 1 ? 2 : 1)
        var rest = box.dropFirst(8)
        for _ in 0..<count {
            guard let item = rest.first(idWidth), let number = rest.dropFirst(idWidth).first(1) else { return false }
            let entries = rest.dropFirst(idWidth + 1).prefix(Int(number) * width)
            guard entries.count == Int(number) * width else { return false }
            rest = rest.dropFirst(idWidth + 1 + entries.count)
            // The highest bit says whether a property is essential.
            let indices = stride(from: 0, to: entries.count, by: width).compactMap {
                entries.dropFirst($0).first(width).map { Int($0) & (width == 2 ? 0x7fff : 0x7f) }
            }
            func property(_ index: Int) -> Property? { index >= 1 ? properties.dropFirst(index - 1).first : nil }
            guard indices.contains(where: { property($0)?.isTransformation ?? false }) else { continue }
            guard let size = indices.first(where: { property($0)?.isNamed("ispe") ?? false }) else { return false }
            for (order, index) in indices.enumerated() {
                guard let property = property(index), property.isTransformation else { continue }
                let place = start + Int64(entries.startIndex - box.startIndex + order * width)
                for byte in 0..<width {
                    replacements[place + Int64(byte)] = UInt8(truncatingIfNeeded: size >> (8 * (width - 1 - byte)))
                }
            }
            for index in indices {
                guard let property = property(index), property.isTransformation else { continue }
                orientations[item] = property.turning(after: orientations[item] ?? 1)
                guard item == primary else { continue }
                guard keep(property, of: Self.extent(properties[size - 1])) else { return false }
                orientation = orientations[item] ?? 1
            }
        }
        return true
    }

    /// The size that an image spatial extents property states, in pixels.
    private static func extent(_ property: Property) -> (width: Int, height: Int)? {
        let content = property.content.dropFirst(4)
        guard let width = content.first(4), let height = content.dropFirst(4).first(4), width > 0, height > 0 else {
            return nil
        }
        return (Int(width), Int(height))
    }

    /// Crops the primary image, if that is what the property says. False if the crop cannot be expressed.
    private mutating func keep(_ property: Property, of extent: (width: Int, height: Int)?) -> Bool {
        guard property.isNamed("clap"), let extent else { return true }
        // Always before the others, in AVIF (MIAF, ISO/IEC 23000-22, 7.3.6.7) and in what cameras write.
        guard orientation == 1, crop == nil else { return false }
        guard let part = Self.cleanAperture(property.content, of: extent) else { return true }
        if part.width < extent.width || part.height < extent.height { crop = part }
        return true
    }

    /// The part that a clean aperture box (ISO/IEC 14496-12, 12.1.4) keeps, in whole pixels; nil if it keeps none.
    static func cleanAperture(_ content: ArraySlice<UInt8>, of size: (width: Int, height: Int)) -> PixelRectangle? {
        let numbers = stride(from: 0, to: 32, by: 4).compactMap { content.dropFirst($0).first(4) }
        guard numbers.count == 8 else { return nil }
        func fraction(_ index: Int, isSigned: Bool) -> Double? {
            let above = isSigned ? Double(Int32(truncatingIfNeeded: numbers[index])) : Double(numbers[index])
            let below = Double(numbers[index + 1])
            return below > 0 ? above / below : nil
        }
        guard let width = fraction(0, isSigned: false), let height = fraction(2, isSigned: false),
            let across = fraction(4, isSigned: true), let down = fraction(6, isSigned: true)
        else { return nil }
        // The offsets are those of the middle.
        let left = (Double(size.width) - width) / 2 + across
        let top = (Double(size.height) - height) / 2 + down
        guard [width, height, left, top].allSatisfy({ abs($0) < 1e9 }) else { return nil }
        let part = PixelRectangle(
            left: Int(left.rounded()), top: Int(top.rounded()), width: Int(width.rounded()),
            height: Int(height.rounded()))
        return part.intersection(width: size.width, height: size.height)
    }

    /// The orientation that has the effect of two, one after the other.
    static func combined(_ first: Int, then second: Int) -> Int {
        // As matrices of what each does to the axes.
        let matrices = [
            [1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, -1, 0],
            [0, 1, -1, 0],
        ]
        let (a, b) = (matrices[second - 1], matrices[first - 1])
        let product = [
            a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        ]
        return (matrices.firstIndex(of: product) ?? 0) + 1
    }
}
