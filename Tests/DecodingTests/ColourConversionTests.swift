import Testing

@testable import Decoding

/// The arithmetic of colours, without a decoder.
@Suite struct ColourConversionTests {
    /// The bands of one pixel, converted.
    private func convert(_ codes: [UInt8], _ change: (inout ColourDescription) -> Void) -> [Int] {
        var description = ColourDescription()
        change(&description)
        guard let conversion = ColourConversion(from: description, bytesPerBand: 1) else { return [] }
        let result = [UInt8](unsafeUninitializedCapacity: codes.count) { buffer, count in
            codes.withUnsafeBytes { conversion.convert($0, bands: codes.count, to: buffer.baseAddress!) }
            count = codes.count
        }
        return result.map { Int($0) }
    }

    private func isNear(_ result: [Int], _ expected: [Int], within distance: Int = 1) -> Bool {
        result.count == expected.count && zip(result, expected).allSatisfy { abs($0 - $1) <= distance }
    }

    @Test func `code values of other primaries and curves become those of sRGB`() {
        #expect(isNear(convert([200, 90, 80]) { $0.primaries = ColourPrimaries(number: 12)! }, [217, 81, 74]))
        #expect(isNear(convert([200, 90, 80]) { $0.transfer = .linear }, [229, 160, 151]))
        // Alpha is no light.
        #expect(convert([200, 90, 80, 77]) { $0.transfer = .linear }.last == 77)
        #expect(isNear(convert([90, 77]) { $0.transfer = .linear }, [160, 77]))
    }

    @Test func `what sRGB does not hold is clipped to its surface`() {
        #expect(convert([255, 0, 0]) { $0.primaries = .bt2020 } == [255, 0, 0])
        #expect(convert([0, 255, 0]) { $0.primaries = .bt2020 } == [0, 255, 0])
    }

    @Test(arguments: [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22])
    func `grey and white are the same in all primaries`(number: Int) throws {
        let primaries = try #require(ColourPrimaries(number: number))
        for grey in [UInt8(0), 1, 30, 128, 254, 255] {
            let result = convert([grey, grey, grey]) { $0.primaries = primaries }
            #expect(isNear(result, [Int(grey), Int(grey), Int(grey)]), "\(result)")
        }
    }

    @Test func `the limited range is expanded, and what is beyond it is clipped`() {
        let greys = [0, 16, 17, 126, 234, 235, 255].map { grey in convert([grey]) { $0.isLimitedRange = true }[0] }
        #expect(greys == [0, 0, 1, 128, 254, 255, 255])
    }

    @Test func `two bytes per band give the same with more steps`() throws {
        var description = ColourDescription()
        description.primaries = try #require(ColourPrimaries(number: 12))
        let conversion = try #require(ColourConversion(from: description, bytesPerBand: 2))
        let codes: [UInt16] = [200 * 257, 90 * 257, 80 * 257, 0x7fff]
        var result: [UInt8] = [0, 0, 0, 0]
        codes.withUnsafeBytes { conversion.convert($0, bands: 4, to: &result) }
        #expect(isNear(result.map { Int($0) }, [217, 81, 74, 127]))
    }

    @Test func `primaries that span no space are not converted`() {
        let same = ColourPrimaries(red: [0.3, 0.3], green: [0.3, 0.3], blue: [0.3, 0.3])
        #expect(convert([200, 90, 80]) { $0.primaries = same }.isEmpty)
    }

    @Test(arguments: [TransferFunction.pq, .hlg])
    func `light for bright displays is brought into range, in order and without a tint`(transfer: TransferFunction) {
        let greys = (0...255).map { grey in
            convert([UInt8(grey), UInt8(grey), UInt8(grey)]) {
                $0.transfer = transfer
                $0.primaries = .bt2020
            }
        }
        #expect(greys.allSatisfy { $0.max()! - $0.min()! <= 1 })
        #expect(zip(greys, greys.dropFirst()).allSatisfy { $0[0] <= $1[0] })
        #expect(greys[0] == [0, 0, 0] && greys[255].allSatisfy { $0 == 255 })
    }

    @Test func `the light of bright displays becomes what Chromium makes of it`() {
        func bright(_ codes: [UInt8], _ transfer: TransferFunction, peak: Double = 1_000) -> [Int] {
            convert(codes) {
                ($0.transfer, $0.primaries, $0.peakLuminance) = (transfer, .bt2020, peak)
            }
        }
        #expect(isNear(bright([60, 120, 180], .pq), [0, 88, 253]))
        #expect(isNear(bright([180, 120, 60], .pq), [255, 0, 0]))
        #expect(isNear(bright([200, 90, 80], .hlg), [230, 28, 58]))
        for (peak, code, expected) in [
            (1_000.0, UInt8(148), 187), (1_000, 180, 242), (1_000, 40, 9), (400, 148, 229), (4_000, 180, 217),
            (4_000, 220, 247), (100, 120, 156),
        ] {
            let found = bright([code, code, code], .pq, peak: peak)
            #expect(isNear(found, [expected, expected, expected], within: 2), "\(peak) \(code): \(found)")
        }
    }

    @Test func `every number of a transfer function gives light from nothing to all`() {
        let functions = (0...255).compactMap { TransferFunction(number: $0) }
        #expect(functions.count == 16)
        for function in functions {
            #expect(function.light(of: 0) < 0.011 && abs(function.light(of: 1) - 1) < 0.1, "\(function)")
        }
    }
}
