import Renditions

@testable import Decoding

/// Builds HEIF files (ISO/IEC 23008-12) of AV1 images.
struct HEIFBuilder {
    struct Item {
        var type: String
        var data: [UInt8]
        /// The numbers of its properties, from 1, in order.
        var properties: [Int]
    }

    /// The first is the primary one. A grid consists of all others.
    var items: [Item]
    /// Boxes.
    var properties: [[UInt8]]
    var isWide = false

    /// The configuration and the data of an image encoded as AVIF.
    static func coded(_ pixels: Pixels) throws -> (configuration: [UInt8], data: [UInt8]) {
        let avif = try pixels.encoded(as: .avif, quality: 90)
        func place(_ name: String) -> Int { avif.firstRange(of: Array(name.utf8))?.lowerBound ?? 0 }
        func number(_ position: Int) -> Int { avif[position..<position + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (configuration, location) = (place("av1C"), place("iloc"))
        // Item 1 has a base offset, and one extent whose offset from there and length follow.
        let start = number(location + 16) + number(location + 22)
        return (
            Array(avif[configuration - 4..<configuration - 4 + number(configuration - 4)]),
            Array(avif[start..<start + number(location + 26)])
        )
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] {
        Sample.box("ispe", Sample.big32(0) + Sample.big32(UInt32(width)) + Sample.big32(UInt32(height)))
    }

    static func turn(_ quarters: UInt8) -> [UInt8] { Sample.box("irot", [quarters]) }
    static func mirror(_ axis: UInt8) -> [UInt8] { Sample.box("imir", [axis]) }

    /// A clean aperture of whole pixels, whose middle is this far from that of the image.
    static func crop(_ width: Int, _ height: Int, across: Int = 0, down: Int = 0) -> [UInt8] {
        let offsets: [UInt32] = [across, down].flatMap { [UInt32(bitPattern: Int32(2 * $0)), 2] }
        let numbers: [UInt32] = [UInt32(width), 1, UInt32(height), 1] + offsets
        return Sample.box("clap", numbers.flatMap(Sample.big32))
    }

    /// One image of the sample's four quarters.
    ///
    /// - Parameter isFirst: Whether the transformations are listed before the size.
    static func image(
        _ width: Int, _ height: Int, transformations: [[UInt8]], isFirst: Bool = false, isWide: Bool = false
    ) throws -> [UInt8] {
        let coded = try coded(Sample.quarters(width: width, height: height))
        let own = Array(3..<3 + transformations.count)
        let item = Item(type: "av01", data: coded.data, properties: isFirst ? own + [1, 2] : [1, 2] + own)
        return HEIFBuilder(
            items: [item], properties: [size(width, height), coded.configuration] + transformations, isWide: isWide
        ).bytes
    }

    var bytes: [UInt8] {
        let brands = Sample.box("ftyp", Array("avif".utf8) + Sample.big32(0) + Array("avifmif1miaf".utf8))
        // The offsets are known once the length of what precedes the data is.
        let length = meta(from: 0).count
        let meta = meta(from: brands.count + length + 8)
        return brands + meta + Sample.box("mdat", Array(items.map(\.data).joined()))
    }

    private func meta(from start: Int) -> [UInt8] {
        let version = Sample.big32(0)
        let handler = Sample.box(
            "hdlr", version + Sample.big32(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        var (locations, infos, associations): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var offset = start
        for (index, item) in items.enumerated() {
            locations += Sample.big16(index + 1) + [0, 0, 0, 1] + Sample.big32(UInt32(offset))
            locations += Sample.big32(UInt32(item.data.count))
            offset += item.data.count
            infos += Sample.box(
                "infe", [2, 0, 0, 0] + Sample.big16(index + 1) + [0, 0] + Array(item.type.utf8) + [0])
            associations += isWide ? Sample.big32(UInt32(index + 1)) : Sample.big16(index + 1)
            associations.append(UInt8(item.properties.count))
            for property in item.properties {
                associations += isWide ? Sample.big16(0x8000 | property) : [0x80 | UInt8(property)]
            }
        }
        let count = Sample.big16(items.count)
        let cells = items.count > 1 ? Array(2...items.count) : []
        let references =
            cells.isEmpty
            ? []
            : Sample.box(
                "iref",
                version
                    + Sample.box("dimg", [0, 1] + Sample.big16(cells.count) + cells.flatMap { Sample.big16($0) }))
        let parts =
            handler + Sample.box("pitm", version + [0, 1])
            + Sample.box("iloc", version + [0x44, 0] + count + locations)
            + Sample.box("iinf", version + count + infos) + references
            + Sample.box(
                "iprp",
                Sample.box("ipco", Array(properties.joined()))
                    + Sample.box(
                        "ipma", (isWide ? [1, 0, 0, 1] : version) + Sample.big32(UInt32(items.count)) + associations))
        return Sample.box("meta", version + parts)
    }
}
