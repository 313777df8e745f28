extension Renderer {
    /// What the renderer allows and how it fills in for what a format lacks.
    public struct Configuration: Hashable, Sendable {
        /// Pixels of one frame. 200 million hold a 14,000 by 14,000 scan.
        public var maximumPixels: Int64 = 200_000_000
        /// Pixels of all frames together.
        public var maximumPixelsOfAllFrames: Int64 = 4_000_000_000
        /// Pixels of either side.
        public var maximumSide = 65_500
        /// Frames or pages of one original.
        public var maximumFrames = 5_000
        /// Scans of one progressive JPEG; encoders make about ten.
        public var maximumScans = 100
        /// Compressed texts of one PNG; each may unpack to 8 MB. Editors write one or two.
        public var maximumTexts = 12
        /// Bytes that a decoder may hold at once. Baseline JPEG and plain PNG are decoded line by line and never come
        /// near it; progressive JPEG, interlaced PNG, WebP, HEIC, AVIF, TIFF and JXL are held whole.
        public var maximumDecodedBytes: Int64 = 512 << 20
        /// Bytes of one original.
        public var maximumBytes: Int64 = 256 << 20
        /// Bytes of one SVG: parsing it costs more than its length tells.
        public var maximumVectorBytes: Int64 = 4 << 20
        /// What shows through a transparent picture in a format without transparency: 0xRRGGBB.
        public var background: UInt32 = 0x80_80_80

        public init() {}

        /// - Throws: `Invalid` that names the first value out of its bounds.
        public func validate() throws(Invalid) {
            guard maximumPixels > 0 else { throw Invalid(field: "maximumPixels") }
            guard (1...1_000_000).contains(maximumSide) else { throw Invalid(field: "maximumSide") }
            guard maximumPixelsOfAllFrames > 0 else { throw Invalid(field: "maximumPixelsOfAllFrames") }
            guard maximumScans > 0 else { throw Invalid(field: "maximumScans") }
            guard maximumTexts > 0 else { throw Invalid(field: "maximumTexts") }
            guard maximumDecodedBytes > 0 else { throw Invalid(field: "maximumDecodedBytes") }
            guard maximumFrames > 0 else { throw Invalid(field: "maximumFrames") }
            guard maximumBytes > 0 else { throw Invalid(field: "maximumBytes") }
            guard maximumVectorBytes > 0 else { throw Invalid(field: "maximumVectorBytes") }
            guard background <= 0xff_ff_ff else { throw Invalid(field: "background") }
        }

        /// A value of the configuration is out of its bounds.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
