/// Limits on what one picture may cost. They follow from what decoding needs, not from the dimensions of the picture.
public struct RenderLimits: Hashable, Sendable {
    /// The memory that a worker may use, in bytes, including about 10 MB of its own.
    public var memory: Int64 = 512 << 20
    /// The size of an original, in bytes.
    public var maximumBytes: Int64 = 256 << 20
    /// The size of an SVG, in bytes. Parsing one costs more than its length suggests.
    public var maximumVectorBytes: Int64 = 4 << 20
    /// The frames or pages of an original.
    public var maximumFrames = 5_000
    /// The scans of a progressive JPEG; encoders write about ten.
    public var maximumScans = 100
    /// The width and height in pixels, which libvips itself limits to this.
    public var maximumSide = 10_000_000
    /// An original with more pixels than this counts as heavy, as progressive JPEGs and vector drawings do.
    public var heavyPixels: Int64 = 60_000_000
    /// The background of a transparent picture in a format without transparency: 0xRRGGBB.
    public var background: UInt32 = 0x80_80_80

    public init() {}

    /// The memory in bytes left for decoding a picture, after the decoder's tables and the encoder.
    public var decodedBytes: Int64 { max(1, memory - (96 << 20)) }

    /// - Throws: ``Invalid``, naming the first value that is out of range.
    public func validate() throws(Invalid) {
        guard (128 << 20...1 << 40).contains(memory) else { throw Invalid(field: "memory") }
        guard maximumBytes > 0 else { throw Invalid(field: "maximumBytes") }
        guard maximumVectorBytes > 0 else { throw Invalid(field: "maximumVectorBytes") }
        guard maximumFrames > 0 else { throw Invalid(field: "maximumFrames") }
        guard maximumScans > 0 else { throw Invalid(field: "maximumScans") }
        guard (1...10_000_000).contains(maximumSide) else { throw Invalid(field: "maximumSide") }
        guard heavyPixels > 0 else { throw Invalid(field: "heavyPixels") }
        guard background <= 0xff_ff_ff else { throw Invalid(field: "background") }
    }

    /// A value is out of range.
    public struct Invalid: Error, Hashable, Sendable {
        /// The name of the value.
        public let field: String

        public init(field: String) {
            self.field = field
        }
    }
}

extension RenderLimits {
    /// The limits as arguments of a worker's command line: "memory=536870912".
    public var words: [String] {
        [
            "memory=\(memory)", "bytes=\(maximumBytes)", "vector-bytes=\(maximumVectorBytes)",
            "frames=\(maximumFrames)", "scans=\(maximumScans)", "side=\(maximumSide)", "heavy-pixels=\(heavyPixels)",
            "background=\(background)",
        ]
    }

    /// Parses arguments written by `words`; nil if one is unknown or its value is out of range.
    public init?(words: some Sequence<String>) {
        self.init()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Int64(parts[1]), value >= 0 else { return nil }
            switch parts[0] {
            case "memory": memory = value
            case "bytes": maximumBytes = value
            case "vector-bytes": maximumVectorBytes = value
            case "frames": maximumFrames = Int(value)
            case "scans": maximumScans = Int(value)
            case "side": maximumSide = Int(value)
            case "heavy-pixels": heavyPixels = value
            case "background": background = UInt32(clamping: value)
            default: return nil
            }
        }
        guard (try? validate()) != nil else { return nil }
    }
}
