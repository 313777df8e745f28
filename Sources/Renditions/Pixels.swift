import CVips

/// A small picture as plain pixels: rows from the top, eight bits for each of red, green and blue, and alpha if there is one.
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

    /// The picture as a file. Blocks for as long as the encoding takes.
    ///
    /// - Parameter quality: 1 to 100.
    /// - Throws: `RenderError` with the reason `.failed`.
    public func encoded(as format: OutputFormat, quality: Int = 80) throws(RenderError) -> [UInt8] {
        throw RenderError(.failed, "The picture could not be encoded.")
    }
}
