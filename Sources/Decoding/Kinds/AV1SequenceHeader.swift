/// What the sequence header of an AV1 image says about its samples (AV1 Bitstream & Decoding Process Specification, §5.5).
struct AV1SequenceHeader: Equatable {
    /// Whether there is no colour.
    private(set) var isMonochrome = false
    /// Whether black is 0.
    private(set) var isFullRange = false
    /// The numbers of ITU-T H.273; 2 if not stated.
    private(set) var primaries = 2
    private(set) var transfer = 2

    /// - Parameter configuration: The contents of an `av1C` box (AV1 Codec ISO Media File Format Binding, §2.3). Nil unless
    ///   it contains the header.
    init?(_ configuration: ArraySlice<UInt8>) {
        var rest = configuration.dropFirst(4)
        while let head = rest.first {
            rest = rest.dropFirst(head & 0x04 == 0 ? 1 : 2)
            // Without a size, the unit extends to the end.
            let size = head & 0x02 == 0 ? rest.count : Self.takeSize(&rest)
            guard let size, size <= rest.count else { return nil }
            if head >> 3 & 0x0f == Self.sequenceHeader {
                self.init(unit: rest.prefix(size))
                return
            }
            rest = rest.dropFirst(size)
        }
        return nil
    }

    private static let sequenceHeader: UInt8 = 1

    /// A number of at most 32 bits, seven in each byte (§4.10.5); nil if it is malformed.
    private static func takeSize(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var size = 0
        for place in 0..<5 {
            guard let byte = rest.popFirst() else { return nil }
            size |= Int(byte & 0x7f) << (7 * place)
            if byte & 0x80 == 0 { return size }
        }
        return nil
    }

    private init?(unit: ArraySlice<UInt8>) {
        var bits = BitReader(Array(unit))
        let profile = bits.number(3)
        bits.skip(1)
        let isReduced = bits.flag()
        if isReduced { bits.skip(5) } else { Self.skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.number(4) + 1, bits.number(4) + 1)
        bits.skip(widthBits + heightBits)
        if !isReduced, bits.flag() { bits.skip(7) }
        bits.skip(3)
        if !isReduced { Self.skipTools(&bits) }
        bits.skip(3)
        takeColour(&bits, profile: profile)
        guard !bits.isPastEnd else { return nil }
    }

    /// Color config syntax (§5.5.2) as far as the range.
    private mutating func takeColour(_ bits: inout BitReader, profile: Int) {
        if bits.flag(), profile == 2 { bits.skip(1) }
        isMonochrome = profile != 1 && bits.flag()
        var matrix = 2
        if bits.flag() { (primaries, transfer, matrix) = (bits.number(8), bits.number(8), bits.number(8)) }
        let isRGB = !isMonochrome && primaries == 1 && transfer == 13 && matrix == 0
        isFullRange = isRGB || bits.flag()
    }

    private static func skipOperatingPoints(_ bits: inout BitReader) {
        var delayBits = 0
        if bits.flag() {
            bits.skip(64)
            if bits.flag() { _ = bits.exponential() }
            if bits.flag() {
                delayBits = bits.number(5) + 1
                bits.skip(42)
            }
        }
        let hasDisplayDelays = bits.flag()
        for _ in 0...bits.number(5) {
            bits.skip(12)
            if bits.number(5) > 7 { bits.skip(1) }
            if delayBits > 0, bits.flag() { bits.skip(2 * delayBits + 1) }
            if hasDisplayDelays, bits.flag() { bits.skip(4) }
        }
    }

    /// The coding tools of sequences with more than one frame.
    private static func skipTools(_ bits: inout BitReader) {
        bits.skip(4)
        let hasOrder = bits.flag()
        if hasOrder { bits.skip(2) }
        let isScreenContentPossible = bits.flag() || bits.flag()
        if isScreenContentPossible, !bits.flag() { bits.skip(1) }
        if hasOrder { bits.skip(3) }
    }
}
