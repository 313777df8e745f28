extension Renderer {
    /// What the renderer allows and how it fills in for what a format lacks.
    public struct Configuration: Hashable, Sendable {
        /// Pixels of one frame, and of all frames together. 200 million hold a 14,000 by 14,000 scan.
        public var maximumPixels: Int64 = 200_000_000
        /// Pixels of either side.
        public var maximumSide = 65_500
        /// Frames or pages of one original.
        public var maximumFrames = 5_000
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
