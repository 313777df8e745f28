import Renditions
import Testing

@testable import Decoding

/// What the boxes of a HEIC or AVIF tell of its colours.
@Suite struct HEIFColourTests {
    private func description(_ file: [UInt8], hasProfile: Bool = false) throws -> ColourDescription? {
        HEIFColour(try SourceReader(.bytes(file), stop: RenderStop())).description(hasProfile: hasProfile)
    }

    @Test func `the numbers of the colour box count, unless there is a profile`() throws {
        #expect(try description(ColourSamples.displayP3)?.primaries == ColourPrimaries(number: 12))
        #expect(try description(ColourSamples.displayP3, hasProfile: true) == nil)
        #expect(try description(ColourSamples.linear)?.transfer == .linear)
        let pq = try #require(try description(ColourSamples.pq))
        #expect(pq.transfer == .pq && pq.primaries == .bt2020 && !pq.isLimitedRange)
    }

    @Test func `without a colour box, the numbers of the codec count`() throws {
        #expect(try description(ColourSamples.undescribed) == nil)
        let set = ParameterSet(chroma: 1, isFullRange: true, primaries: 9, transfer: 16)
        let pq = try #require(try description(file([("hvcC", set.configuration)])))
        #expect(pq.transfer == .pq && pq.primaries == .bt2020 && !pq.isLimitedRange)
        let grey = ParameterSet(chroma: 0, isFullRange: false, primaries: 1, transfer: 1)
        #expect(try description(file([("hvcC", grey.configuration)]))?.isLimitedRange == true)
    }

    @Test func `without a colour box, the sequence header of AV1 counts`() throws {
        // As cavif writes it for a grey picture in the limited range.
        let grey: [UInt8] = [
            0x81, 0x05, 0x1c, 0x00, 0x0a, 0x0a, 0x19, 0x6a, 0x65, 0x9e, 0x3f, 0xc3, 0x01, 0x0d, 0x09, 0x20,
        ]
        #expect(try description(file([("av1C", grey)]))?.isLimitedRange == true)
        let header = try #require(AV1SequenceHeader(grey[...]))
        #expect(header.isMonochrome && !header.isFullRange)
        let stated = Array("nclx".utf8) + [0, 1, 0, 13, 0, 1, 0x80]
        #expect(try description(file([("av1C", grey), ("colr", stated)])) == nil, "the box comes first")
        // What libaom and libheif write agrees with libheif's own reading.
        let colour = try HEIFBuilder.coded(Sample.quarters(width: 64, height: 64)).configuration
        #expect(AV1SequenceHeader(colour[...])?.isMonochrome != true)
        for length in 0..<grey.count { _ = AV1SequenceHeader(grey.prefix(length)) }
        for place in grey.indices {
            for bit in 0..<8 {
                var changed = grey
                changed[place] ^= 1 << bit
                _ = AV1SequenceHeader(changed[...])
            }
        }
    }

    /// An image of one item with these properties.
    private func file(_ properties: [(String, [UInt8])]) -> [UInt8] {
        let boxes = properties.map { Sample.box($0.0, $0.1) }.joined()
        let numbers = (1...properties.count).map { UInt8($0) }
        let associations = Sample.box(
            "ipma", [0, 0, 0, 0] + Sample.big32(1) + [0, 1, UInt8(properties.count)] + numbers)
        return Sample.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0])
            + Sample.box(
                "meta",
                [0, 0, 0, 0] + Sample.box("pitm", [0, 0, 0, 0, 0, 1])
                    + Sample.box("iprp", Sample.box("ipco", Array(boxes)) + associations))
    }

    @Test func `the limited range matters only for grey, whose range the decoder does not expand`() throws {
        #expect(try description(ColourSamples.limitedGrey)?.isLimitedRange == true)
        #expect(try description(ColourSamples.limitedGrey, hasProfile: true)?.isLimitedRange == true)
        var colourful = ColourSamples.limitedGrey
        let codec = try #require(colourful.indices.first { colourful[$0...].starts(with: "av1C".utf8) })
        colourful[codec + 6] &= ~0x10
        #expect(try description(colourful) == nil)
    }

    @Test func `a grid has the colours of its first tile, if it has none of its own`() throws {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] { Sample.box(name, content) }
        let colour = box("colr", Array("nclx".utf8) + [0, 12, 0, 13, 0, 6, 0x80])
        // Item 1 is derived from items 2 and 3. Only item 2 has the first property.
        let references = box("iref", [0, 0, 0, 0] + box("dimg", [0, 1, 0, 2, 0, 2, 0, 3]))
        let associations = box("ipma", [0, 0, 0, 0] + Sample.big32(2) + [0, 1, 1, 2, 0, 2, 1, 0x81])
        let properties = box("iprp", box("ipco", colour + box("free", [])) + associations)
        let meta = box("meta", [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 1]) + references + properties)
        let file = box("ftyp", Array("avif".utf8) + [0, 0, 0, 0]) + meta
        #expect(try description(file)?.primaries == ColourPrimaries(number: 12))
        for length in 1..<file.count { _ = try description(Array(file.prefix(length))) }
    }

    @Test func `a cut or changed parameter set of HEVC causes no crash`() throws {
        let file = ColourSamples.undescribed
        let start = try #require(file.indices.first { file[$0...].starts(with: "hvcC".utf8) }) + 4
        let configuration = file[start..<start + 112]
        let parameters = try #require(HEVCParameters(configuration))
        #expect(parameters.transfer == 2 && !parameters.isMonochrome)
        for length in 0..<configuration.count { _ = HEVCParameters(configuration.prefix(length)) }
        for at in configuration.indices {
            var changed = configuration
            changed[at] ^= 0xff
            _ = HEVCParameters(changed)
        }
    }
}

/// A sequence parameter set of HEVC as an encoder writes it, with what nobody reads left at its shortest.
private struct ParameterSet {
    private var bits: [Bool] = []

    init(chroma: Int, isFullRange: Bool, primaries: Int, transfer: Int) {
        add(0, 4 + 3 + 1)
        add(0, 96)
        // Its number, the chroma, width and height, no window, eight bits, the order, layers, and sizes of blocks.
        for value in [0, chroma, 63, 63] { addExponential(value) }
        add(0, 1)
        for value in [0, 0, 4] { addExponential(value) }
        add(1, 1)
        for value in [0, 0, 0] + [0, 3, 0, 3, 0, 0] { addExponential(value) }
        // No scaling lists, two tools, no samples as they are, no references, two more tools.
        add(0, 1 + 2 + 1)
        addExponential(0)
        add(0, 1 + 2)
        // Usability: no aspect ratio, no overscan, then the signal.
        add(0b1_0_0_1_101, 7)
        add(isFullRange ? 1 : 0, 1)
        add(1, 1)
        for value in [primaries, transfer, 9] { add(value, 8) }
        add(0, 40)
    }

    private mutating func add(_ value: Int, _ count: Int) {
        for bit in (0..<count).reversed() { bits.append(bit < 63 && value >> bit & 1 == 1) }
    }

    private mutating func addExponential(_ value: Int) {
        let length = Int.bitWidth - (value + 1).leadingZeroBitCount
        add(0, length - 1)
        add(value + 1, length)
    }

    /// The contents of an `hvcC` box with a video parameter set in front of this one.
    var configuration: [UInt8] {
        var unit: [UInt8] = [0x42, 1]
        for start in stride(from: 0, to: bits.count - 7, by: 8) {
            let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            if byte <= 3, unit.suffix(2).elementsEqual([0, 0]) { unit.append(3) }
            unit.append(byte)
        }
        let other: [UInt8] = [0xa0, 0, 1, 0, 3, 0x40, 1, 7]
        return Array(repeating: 0, count: 22) + [2] + other + [0xa1, 0, 1] + Sample.big16(unit.count) + unit
    }
}
