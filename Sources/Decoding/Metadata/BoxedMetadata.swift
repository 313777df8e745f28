import CBrotliDecoder
import FileHeads

/// EXIF and XMP in the boxes of HEIC and AVIF, where they are items (ISO/IEC 23008-12, annex A), and of JPEG XL, where
/// they are boxes of their own (ISO/IEC 18181-2, 9.4 to 9.6). The decoders of older distributions return only some.
struct BoxedMetadata {
    private(set) var exif: ExifMetadata?
    private(set) var xmp: XMPPacket?

    /// The maximum number of boxes visited. A JPEG XL may consist of hundreds of partial codestreams.
    private static let maximumBoxes = 2_000
    /// The maximum length in bytes of the description of all items; a picture of a thousand tiles has 50 KB.
    private static let maximumItems = 1 << 20
    /// The maximum length in bytes of EXIF or XMP.
    private static let longest = 1 << 20

    /// Leaves the reader at any position.
    init(_ reader: SourceReader) {
        for box in ISOBoxes(in: 0..<reader.length, of: reader, upTo: Self.maximumBoxes) {
            if box.isNamed("meta") {
                takeItems(of: box.content, in: reader)
                return
            }
            if box.isNamed("Exif"), exif == nil {
                exif = Self.bytes(box.content, of: reader).flatMap { Self.exif($0) }
            } else if box.isNamed("xml "), xmp == nil {
                xmp = Self.bytes(box.content, of: reader).map { XMPPacket($0) }
            } else if box.isNamed("brob") {
                takeCompressed(box.content, in: reader)
            }
            if exif != nil, xmp != nil { return }
        }
    }

    private static func bytes(_ range: Range<Int64>, of reader: SourceReader) -> ArraySlice<UInt8>? {
        range.count <= longest ? reader.slice(at: range.lowerBound, count: range.count) : nil
    }

    /// A block that begins with the offset of its TIFF header.
    private static func exif(_ block: ArraySlice<UInt8>) -> ExifMetadata? {
        guard let offset = block.first(4), offset <= Int64(block.count) - 4 else { return nil }
        return ExifMetadata(Array(block.dropFirst(4 + Int(offset))))
    }

    // MARK: - JPEG XL

    /// The name of a box, followed by its contents, compressed with Brotli.
    private mutating func takeCompressed(_ range: Range<Int64>, in reader: SourceReader) {
        guard let content = Self.bytes(range, of: reader), content.count > 4 else { return }
        let name = content.prefix(4)
        if name.elementsEqual("Exif".utf8), exif == nil {
            exif = Self.decompressed(content.dropFirst(4)).flatMap { Self.exif($0) }
        } else if name.elementsEqual("xml ".utf8), xmp == nil {
            xmp = Self.decompressed(content.dropFirst(4)).map { XMPPacket($0) }
        }
    }

    /// Nil unless the whole fits into ``longest`` bytes.
    private static func decompressed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var isWhole = false
        let decompressed = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            var size = longest
            let result = bytes.withUnsafeBufferPointer {
                BrotliDecoderDecompress($0.count, $0.baseAddress, &size, buffer.baseAddress)
            }
            isWhole = result == BROTLI_DECODER_RESULT_SUCCESS
            count = isWhole ? size : 0
        }
        return isWhole ? decompressed[...] : nil
    }

    // MARK: - HEIC and AVIF

    private mutating func takeItems(of meta: Range<Int64>, in reader: SourceReader) {
        guard meta.count <= Self.maximumItems else { return }
        // Version and flags precede the boxes.
        let boxes = Array(ISOBoxes(in: meta.dropFirst(4), of: reader, upTo: Self.maximumBoxes))
        func content(_ name: String) -> ArraySlice<UInt8>? {
            boxes.first { $0.isNamed(name) }.flatMap { Self.bytes($0.content, of: reader) }
        }
        guard let kinds = content("iinf").map(ItemKinds.init), let places = content("iloc").map(ItemPlaces.init) else {
            return
        }
        let data = boxes.first { $0.isNamed("idat") }?.content
        func item(_ number: Int64?) -> ArraySlice<UInt8>? {
            guard let place = number.flatMap({ places.places[$0] }) else { return nil }
            var bytes: [UInt8] = []
            for extent in place.extents {
                let space = place.isInData ? data : 0..<reader.length
                guard let space, extent.upperBound <= Int64(space.count) else { return nil }
                let start = space.lowerBound + extent.lowerBound
                // A length of 0 is the rest of the file.
                let end = extent.isEmpty ? space.upperBound : space.lowerBound + extent.upperBound
                guard end <= space.upperBound, end - start <= Int64(Self.longest - bytes.count),
                    let part = reader.slice(at: start, count: Int(end - start))
                else { return nil }
                bytes += part
            }
            return bytes[...]
        }
        exif = item(kinds.first(.exif)).flatMap { Self.exif($0) }
        xmp = item(kinds.first(.xmp)).map { XMPPacket($0) }
    }
}
