import CLinux
import Images
import Renditions

/// A vector drawing as the decoder must get it: not compressed, not in UTF-16, recognisable by its first bytes, and with
/// a frame that it fills.
struct DrawingDocument {
    /// The document for the decoder.
    private(set) var bytes: [UInt8]
    /// Whether the file is compressed ("svgz").
    let isCompressed: Bool
    /// The drawing's own size divided by that in `bytes`.
    private(set) var reduction = 1.0
    /// The root's start tag after its name, in `bytes`.
    private var rootAttributes: Range<Int>

    /// In pixels. libvips draws at a thousandth of a drawing's size at least.
    private static let longestSide = 60_000.0
    /// What larger drawings get, in pixels.
    private static let reducedSide = 10_000.0
    /// libvips looks for this in the first 1,000 bytes, but there may be longer comments and declarations in front.
    private static let sign = Array("<!--<svg-->".utf8)

    /// Nil if the file is no XML document whose root is `svg` and begins in the first ``SourceReader/headLength`` bytes.
    ///
    /// - Throws: `RenderError` if it is, but exceeds the limits, or cannot be read to its end.
    init?(_ reader: SourceReader, limits: RenderLimits) throws(RenderError) {
        let isCompressed = reader.head.starts(with: [0x1f, 0x8b, 8])
        let head = isCompressed ? Self.decompressed(reader.head, upTo: SourceReader.headLength).bytes : reader.head
        guard let beginning = Self.text(head), XMLProlog(beginning[...])?.rootName == "svg" else { return nil }
        try limits.checkBytes(reader.fileLength, kind: .svg)
        var file = reader.slice(at: 0, count: Int(reader.fileLength)).map { Array($0) } ?? []
        if isCompressed {
            let limit = Int(min(limits.maximumVectorBytes, limits.maximumBytes))
            let (bytes, isWhole) = Self.decompressed(file, upTo: limit + 1)
            try limits.checkBytes(Int64(bytes.count), kind: .svg)
            guard isWhole else { throw Self.damaged("incomplete gzip") }
            file = bytes
        }
        guard let text = Self.text(file), let prolog = XMLProlog(text[...]) else {
            throw reader.error ?? Self.damaged("another document than at first")
        }
        self.isCompressed = isCompressed
        bytes = Array(text[..<prolog.declarationEnd]) + Self.sign + text[prolog.declarationEnd...]
        let (start, end) = (prolog.rootAttributes.lowerBound, prolog.rootAttributes.upperBound)
        rootAttributes = start + Self.sign.count..<end + Self.sign.count
        if let size = frame.size, max(size.width, size.height) > Self.longestSide { setFrame(size) }
    }

    /// Whether the size of the drawing is that of what is drawn, which fills only a frame of that size.
    var needsFrame: Bool { frame.size == nil }

    private var frame: DrawingFrame { DrawingFrame(bytes[rootAttributes]) }

    /// Makes the drawing fill any frame.
    ///
    /// - Parameter size: Its own size in pixels.
    mutating func setFrame(_ size: (width: Double, height: Double)) {
        let longest = max(size.width, size.height)
        if longest > Self.longestSide { reduction = longest / Self.reducedSide }
        let attributes = frame.attributes(
            bytes[rootAttributes], width: max(1, size.width / reduction), height: max(1, size.height / reduction),
            natural: size)
        bytes.replaceSubrange(rootAttributes, with: attributes)
        rootAttributes = rootAttributes.lowerBound..<rootAttributes.lowerBound + attributes.count
    }

    /// In UTF-8 if it is in UTF-16, without its declaration then, which would no longer be true; nil if it is no XML.
    private static func text(_ bytes: [UInt8]) -> [UInt8]? {
        let isBigEndian = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0, UInt8(ascii: "<")])
        let isLittleEndian = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [UInt8(ascii: "<"), 0])
        guard isBigEndian || isLittleEndian else {
            let first = bytes.first { $0 > 0x20 }
            return first == UInt8(ascii: "<") || bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes : nil
        }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { (at: Int) -> UInt16 in
            let (high, low) = isBigEndian ? (bytes[at], bytes[at + 1]) : (bytes[at + 1], bytes[at])
            return UInt16(high) << 8 | UInt16(low)
        }
        var text = Array(String(decoding: units, as: UTF16.self).utf8)
        if let prolog = XMLProlog(text[...]) { text.removeSubrange(..<prolog.declarationEnd) }
        return text
    }

    private static func decompressed(_ bytes: [UInt8], upTo limit: Int) -> (bytes: [UInt8], isWhole: Bool) {
        var ended: Int32 = 0
        let result = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = clinux_gunzip(bytes, bytes.count, buffer.baseAddress, limit, &ended)
        }
        return (result, ended == 1)
    }

    private static func damaged(_ detail: String) -> RenderError {
        RenderError(.damaged, "This picture is damaged and cannot be shown.", logDetail: detail)
    }
}

extension Identification {
    /// A drawing's root tells what it is.
    init(of drawing: DrawingDocument) {
        self.init(
            kind: .svg, mediaType: drawing.isCompressed ? ImageMetadata.compressedDrawing : ImageMetadata.drawing)
    }
}
