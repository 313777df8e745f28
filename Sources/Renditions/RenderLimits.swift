/// What one picture may cost. They follow from what decoding needs, not from how large a picture is.
public struct RenderLimits: Hashable, Sendable {
    /// Bytes of memory that a worker may hold, its own some 10 million among them.
    public var memory: Int64 = 512 << 20
    /// Bytes of one original.
    public var maximumBytes: Int64 = 256 << 20
    /// Bytes of one SVG: parsing it costs more than its length tells.
    public var maximumVectorBytes: Int64 = 4 << 20
    /// Frames or pages of one original.
    public var maximumFrames = 5_000
    /// Scans of one progressive JPEG; encoders make about ten.
    public var maximumScans = 100
    /// Pixels of either side: what libvips itself allows.
    public var maximumSide = 10_000_000
    /// An original of more pixels than this is heavy, as progressive JPEGs and drawings are.
    public var heavyPixels: Int64 = 60_000_000
    /// What shows through a transparent picture in a format without transparency: 0xRRGGBB.
    public var background: UInt32 = 0x80_80_80

    public init() {}

    /// Bytes that a decoder may need for a picture: what is left of the memory for it, its own tables and the encoder's
    /// taken off.
    public var decodedBytes: Int64 { max(1, memory - (96 << 20)) }

    /// - Throws: `Invalid` that names the first value out of its bounds.
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

    /// A value is out of its bounds.
    public struct Invalid: Error, Hashable, Sendable {
        public let field: String

        public init(field: String) {
            self.field = field
        }
    }
}

extension RenderLimits {
    /// The limits as words of a worker's command line: "memory=536870912".
    public var words: [String] {
        [
            "memory=\(memory)", "bytes=\(maximumBytes)", "vector-bytes=\(maximumVectorBytes)",
            "frames=\(maximumFrames)", "scans=\(maximumScans)", "side=\(maximumSide)", "heavy-pixels=\(heavyPixels)",
            "background=\(background)",
        ]
    }

    /// Reads what `words` writes; nil if a word is not understood or a value is out of its bounds.
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
