/// Converts pixels whose code values are described by numbers to sRGB with eight bits per band.
struct ColourConversion: Sendable {
    /// The linear light of each code value.
    private let light: [Float]
    /// The first step for colours: to linear light of sRGB's primaries or, before a tone mapping, of BT.2020's.
    private let matrix: Columns
    private let toneMapping: ToneMapping?
    private let bytesPerBand: Int

    /// Nil if the primaries span no space.
    ///
    /// - Parameter bytesPerBand: 1 or 2. Code values of ten or twelve bits are the highest of two bytes.
    init?(from description: ColourDescription, bytesPerBand: Int) {
        toneMapping = ToneMapping(description)
        guard let matrix = description.primaries.matrix(to: toneMapping == nil ? .bt709 : .bt2020),
            matrix.isBounded
        else { return nil }
        self.matrix = Columns(matrix)
        self.bytesPerBand = bytesPerBand
        let codes = 1 << (8 * bytesPerBand)
        light = (0..<codes).map { code in
            let value =
                description.isLimitedRange
                ? (Double(code) * 256 / Double(codes) - 16) / 219 : Double(code) / Double(codes - 1)
            return Float(description.transfer.light(of: min(max(value, 0), 1)))
        }
    }

    /// - Parameters:
    ///   - row: Whole pixels of `bands` bands: grey or colours, optionally followed by alpha.
    ///   - result: Room for a byte for each band of each pixel.
    func convert(_ row: UnsafeRawBufferPointer, bands: Int, to result: UnsafeMutablePointer<UInt8>) {
        if bytesPerBand == 1 {
            convert(row.assumingMemoryBound(to: UInt8.self), bands, result)
        } else {
            convert(row.assumingMemoryBound(to: UInt16.self), bands, result)
        }
    }

    private func convert<Code: FixedWidthInteger & UnsignedInteger>(
        _ codes: UnsafeBufferPointer<Code>, _ bands: Int, _ result: UnsafeMutablePointer<UInt8>
    ) {
        let isColour = bands >= 3
        light.withUnsafeBufferPointer { light in
            Self.encoded.withUnsafeBufferPointer { encoded in
                for start in stride(from: 0, to: codes.count / bands * bands, by: bands) {
                    let (first, second, third) = isColour ? (start, start + 1, start + 2) : (start, start, start)
                    var colour: SIMD3<Float> = [
                        light[Int(codes[first])], light[Int(codes[second])], light[Int(codes[third])],
                    ]
                    // White is white in all spaces, and so is grey.
                    if isColour { colour = matrix * colour }
                    if let toneMapping {
                        colour = toneMapping.mapped(colour)
                        if isColour { colour = Self.fromBT2020 * colour }
                    }
                    colour = colour.clamped(lowerBound: .zero, upperBound: .one) * Float(Self.steps) + 0.5
                    result[first] = encoded[Int(colour.x)]
                    if isColour {
                        result[second] = encoded[Int(colour.y)]
                        result[third] = encoded[Int(colour.z)]
                    }
                    if bands == 2 || bands == 4 {
                        result[start + bands - 1] = UInt8(
                            truncatingIfNeeded: codes[start + bands - 1] >> Code(Code.bitWidth - 8))
                    }
                }
            }
        }
    }

    private static let steps = 65_535
    /// The code value of sRGB for light in `steps` equal steps, fine enough for the darkest.
    private static let encoded: [UInt8] = (0...steps).map { step in
        UInt8(TransferFunction.sRGBCode(for: Double(step) / Double(steps)) * 255 + 0.5)
    }
    private static let fromBT2020 = Columns(
        ColourPrimaries.bt2020.matrix(to: .bt709) ?? ColourMatrix(diagonal: [1, 1, 1]))

    /// A matrix of the precision that pixels need.
    private struct Columns {
        let first: SIMD3<Float>
        let second: SIMD3<Float>
        let third: SIMD3<Float>

        init(_ matrix: ColourMatrix) {
            (first, second, third) = (SIMD3(matrix.first), SIMD3(matrix.second), SIMD3(matrix.third))
        }

        static func * (matrix: Columns, colour: SIMD3<Float>) -> SIMD3<Float> {
            matrix.first * colour.x + matrix.second * colour.y + matrix.third * colour.z
        }
    }
}
