import CVips
import Renditions

/// A small image as plain pixels: rows from the top, eight bits each for red, green and blue, and for alpha if there is
/// one.
public struct Pixels: Hashable, Sendable {
    public let width: Int
    public let height: Int
    public let hasAlpha: Bool
    public let bytes: [UInt8]

    public var channels: Int { hasAlpha ? 4 : 3 }

    /// Nil unless there are exactly as many bytes as `width` by `height` pixels need.
    public init?(width: Int, height: Int, hasAlpha: Bool = false, bytes: [UInt8]) {
        guard (1...65_500).contains(width), (1...65_500).contains(height) else { return nil }
        guard bytes.count == width * height * (hasAlpha ? 4 : 3) else { return nil }
        self.width = width
        self.height = height
        self.hasAlpha = hasAlpha
        self.bytes = bytes
    }

    /// Encodes the image as a file. Blocks while encoding.
    ///
    /// - Parameter quality: 1 to 100, on the format's own scale.
    /// - Throws: `RenderError` with the reason `.failed`.
    public func encoded(as format: OutputFormat, quality: Int = 80) throws(RenderError) -> [UInt8] {
        try DecoderLibrary.start()
        do throws(DecoderFailure) {
            let picture = try Picture(copying: bytes, width: width, height: height, bands: channels)
            return try Encoding(format, quality: quality).encode(picture, background: 0x80_80_80)
        } catch {
            throw RenderError(.failed, "The picture could not be encoded.", logDetail: error.text)
        }
    }
}

extension Pixels {
    /// A small copy of an image in memory, shrunk by averaging to at most `side` pixels per side.
    ///
    /// Nil if the image does not have one to four bands of bytes.
    init?(shrinking picture: Picture, to side: Int) {
        let (width, height, bands) = (picture.width, picture.height, picture.bands)
        guard (1...4).contains(bands), picture.bytesPerBand == 1, width > 0, height > 0,
            let base = vips_image_get_data(picture.handle)
        else { return nil }
        let source = UnsafeRawBufferPointer(start: base, count: width * height * bands)
        let longest = max(width, height)
        let newWidth = longest <= side ? width : max(1, width * side / longest)
        let newHeight = longest <= side ? height : max(1, height * side / longest)
        let hasAlpha = bands == 2 || bands == 4
        let channels = hasAlpha ? 4 : 3
        let isGrey = bands <= 2
        var bytes: [UInt8] = []
        bytes.reserveCapacity(newWidth * newHeight * channels)
        for y in 0..<newHeight {
            let rows = y * height / newHeight..<max(y * height / newHeight + 1, (y + 1) * height / newHeight)
            for x in 0..<newWidth {
                let columns = x * width / newWidth..<max(x * width / newWidth + 1, (x + 1) * width / newWidth)
                // Colours are weighted by their opacity, so that invisible pixels do not tint visible ones.
                var sums = (red: 0, green: 0, blue: 0, weight: 0)
                for row in rows {
                    for column in columns {
                        let index = (row * width + column) * bands
                        let weight = hasAlpha ? Int(source[index + bands - 1]) : 255
                        sums.red += weight * Int(source[index])
                        sums.green += weight * Int(source[index + (isGrey ? 0 : 1)])
                        sums.blue += weight * Int(source[index + (isGrey ? 0 : 2)])
                        sums.weight += weight
                    }
                }
                let weight = max(1, sums.weight)
                bytes.append(UInt8(sums.red / weight))
                bytes.append(UInt8(sums.green / weight))
                bytes.append(UInt8(sums.blue / weight))
                if hasAlpha { bytes.append(UInt8(sums.weight / (rows.count * columns.count))) }
            }
        }
        self.init(width: newWidth, height: newHeight, hasAlpha: hasAlpha, bytes: bytes)
    }
}
