import FileHeads

/// What the sequence parameter set of an HEVC image says about its samples (ITU-T H.265, §7.3.2.2 and annex E).
struct HEVCParameters: Equatable {
    /// Whether there is no colour.
    private(set) var isMonochrome = false
    /// Whether black is 0. The standard's default is the limited range.
    private(set) var isFullRange = false
    /// The numbers of ITU-T H.273; nil if not stated.
    private(set) var primaries: Int?
    private(set) var transfer: Int?

    /// - Parameter configuration: The contents of an `hvcC` box (ISO/IEC 14496-15, §8.3.3). Nil without a well-formed
    ///   sequence parameter set.
    init?(_ configuration: ArraySlice<UInt8>) {
        var rest = configuration.dropFirst(22)
        guard let arrays = rest.first else { return nil }
        rest = rest.dropFirst()
        for _ in 0..<arrays {
            guard let type = rest.first, let count = rest.dropFirst().first(2) else { return nil }
            rest = rest.dropFirst(3)
            for _ in 0..<count {
                guard let length = rest.first(2), rest.count >= Int(length) + 2 else { return nil }
                if type & 0x3f == Self.sequenceParameterSet {
                    self.init(unit: rest.dropFirst(2).prefix(Int(length)))
                    return
                }
                rest = rest.dropFirst(2 + Int(length))
            }
        }
        return nil
    }

    private static let sequenceParameterSet: UInt8 = 33

    private init?(unit: ArraySlice<UInt8>) {
        var bits = BitReader(Self.withoutStuffing(unit.dropFirst(2)))
        bits.skip(4)
        let layers = bits.number(3)
        bits.skip(1)
        Self.skipProfile(&bits, layers: layers)
        _ = bits.exponential()
        let chroma = bits.exponential()
        isMonochrome = chroma == 0
        if chroma == 3 { bits.skip(1) }
        for _ in 0..<2 { _ = bits.exponential() }
        if bits.flag() { for _ in 0..<4 { _ = bits.exponential() } }
        for _ in 0..<2 { _ = bits.exponential() }
        let orderBits = bits.exponential() + 4
        for _ in (bits.flag() ? 0 : layers)...layers { for _ in 0..<3 { _ = bits.exponential() } }
        for _ in 0..<6 { _ = bits.exponential() }
        if bits.flag(), bits.flag() { Self.skipScalingLists(&bits) }
        bits.skip(2)
        if bits.flag() {
            bits.skip(8)
            for _ in 0..<2 { _ = bits.exponential() }
            bits.skip(1)
        }
        guard Self.skipReferences(&bits, orderBits: orderBits) else { return nil }
        bits.skip(2)
        if bits.flag() { takeUsability(&bits) }
        guard !bits.isPastEnd else { return nil }
    }

    /// The video usability information as far as its colours.
    private mutating func takeUsability(_ bits: inout BitReader) {
        // The aspect ratio of pixels, stated in full for 255.
        if bits.flag(), bits.number(8) == 255 { bits.skip(32) }
        if bits.flag() { bits.skip(1) }
        guard bits.flag() else { return }
        bits.skip(3)
        isFullRange = bits.flag()
        guard bits.flag() else { return }
        (primaries, transfer) = (bits.number(8), bits.number(8))
    }

    /// Bytes that were inserted so that no start code appears (§7.3.1.1).
    private static func withoutStuffing(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if byte != 3 || zeros < 2 { bytes.append(byte) }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return bytes
    }

    private static func skipProfile(_ bits: inout BitReader, layers: Int) {
        bits.skip(96)
        guard layers > 0 else { return }
        let present = (0..<8).map { _ in (profile: bits.flag(), level: bits.flag()) }
        for layer in present.prefix(layers) { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    }

    private static func skipScalingLists(_ bits: inout BitReader) {
        for size in 0..<4 {
            for _ in 0..<(size == 3 ? 2 : 6) {
                guard bits.flag() else {
                    _ = bits.exponential()
                    continue
                }
                if size > 1 { _ = bits.exponential() }
                for _ in 0..<min(64, 1 << (4 + 2 * size)) { _ = bits.exponential() }
            }
        }
    }

    /// The sets of reference pictures (§7.3.7), which images do not have but encoders of videos write.
    private static func skipReferences(_ bits: inout BitReader, orderBits: Int) -> Bool {
        let sets = bits.exponential()
        guard sets <= 64 else { return false }
        var counts: [Int] = []
        for index in 0..<sets {
            if index > 0, bits.flag() {
                bits.skip(1)
                _ = bits.exponential()
                // A picture is left out if it is neither used nor kept.
                counts.append((0...counts[index - 1]).count { _ in bits.flag() || bits.flag() })
            } else {
                let count = bits.exponential() + bits.exponential()
                guard count <= 32 else { return false }
                for _ in 0..<count {
                    _ = bits.exponential()
                    bits.skip(1)
                }
                counts.append(count)
            }
        }
        if bits.flag() {
            let count = bits.exponential()
            guard count <= 32 else { return false }
            bits.skip(count * (orderBits + 1))
        }
        return !bits.isPastEnd
    }
}

/// Reads bits, the highest of a byte first. Beyond the end there are zeros.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isPastEnd: Bool { position > 8 * bytes.count }

    mutating func skip(_ count: Int) { position += count }

    mutating func flag() -> Bool { number(1) == 1 }

    /// - Parameter count: At most 32.
    mutating func number(_ count: Int) -> Int {
        var number = 0
        for at in position..<position + count {
            let bit = at / 8 < bytes.count ? bytes[at / 8] >> UInt8(7 - at % 8) & 1 : 0
            number = number << 1 | Int(bit)
        }
        position += count
        return number
    }

    /// An Exp-Golomb code (ITU-T H.265, §9.2); 0 if it is malformed.
    mutating func exponential() -> Int {
        var zeros = 0
        while !isPastEnd, !flag() { zeros += 1 }
        guard !isPastEnd, zeros < 32 else { return 0 }
        return (1 << zeros) - 1 + number(zeros)
    }
}
