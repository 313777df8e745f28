/// The chromaticities (CIE 1931 x and y) of a space's three primaries and of its white.
struct ColourPrimaries: Hashable, Sendable {
    let red: SIMD2<Double>
    let green: SIMD2<Double>
    let blue: SIMD2<Double>
    let white: SIMD2<Double>

    init(
        red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double> = ColourPrimaries.daylight
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// The white D65.
    static let daylight: SIMD2<Double> = [0.3127, 0.3290]
    /// Those of sRGB and high-definition television.
    static let bt709 = ColourPrimaries(red: [0.64, 0.33], green: [0.30, 0.60], blue: [0.15, 0.06])
    /// Those of ultra-high-definition television.
    static let bt2020 = ColourPrimaries(red: [0.708, 0.292], green: [0.170, 0.797], blue: [0.131, 0.046])

    /// By their number in ITU-T H.273, table 2. Reserved and unspecified numbers are not in it.
    private static let numbered: [Int: ColourPrimaries] = [
        1: bt709,
        4: ColourPrimaries(red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08], white: [0.310, 0.316]),
        5: ColourPrimaries(red: [0.64, 0.33], green: [0.29, 0.60], blue: [0.15, 0.06]),
        6: ColourPrimaries(red: [0.630, 0.340], green: [0.310, 0.595], blue: [0.155, 0.070]),
        7: ColourPrimaries(red: [0.630, 0.340], green: [0.310, 0.595], blue: [0.155, 0.070]),
        8: ColourPrimaries(red: [0.681, 0.319], green: [0.243, 0.692], blue: [0.145, 0.049], white: [0.310, 0.316]),
        9: bt2020,
        10: ColourPrimaries(red: [1, 0], green: [0, 1], blue: [0, 0], white: [1 / 3, 1 / 3]),
        11: ColourPrimaries(red: [0.68, 0.32], green: [0.265, 0.690], blue: [0.15, 0.06], white: [0.314, 0.351]),
        12: ColourPrimaries(red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060]),
        22: ColourPrimaries(red: [0.630, 0.340], green: [0.295, 0.605], blue: [0.155, 0.077]),
    ]

    /// Nil for a reserved or unspecified number of ITU-T H.273.
    init?(number: Int) {
        guard let primaries = Self.numbered[number] else { return nil }
        self = primaries
    }

    /// From linear light of these primaries to that of others, with white remaining white. Nil if either primaries span
    /// no space.
    func matrix(to other: ColourPrimaries) -> ColourMatrix? {
        guard let from = matrixToXYZ, let to = other.matrixToXYZ?.inverse,
            let adaptation = Self.adaptation(from: white, to: other.white)
        else { return nil }
        return to * adaptation * from
    }

    /// To CIE XYZ, with a luminance of 1 for white (SMPTE RP 177).
    private var matrixToXYZ: ColourMatrix? {
        let primaries = ColourMatrix(Self.xyz(red), Self.xyz(green), Self.xyz(blue))
        guard white.y > 0.001, let inverse = primaries.inverse else { return nil }
        return primaries * ColourMatrix(diagonal: inverse * (Self.xyz(white) / white.y))
    }

    private static func xyz(_ chromaticity: SIMD2<Double>) -> SIMD3<Double> {
        [chromaticity.x, chromaticity.y, 1 - chromaticity.x - chromaticity.y]
    }

    /// The Bradford transform of whites (ICC.1:2022, annex E).
    private static func adaptation(from white: SIMD2<Double>, to other: SIMD2<Double>) -> ColourMatrix? {
        guard white != other else { return ColourMatrix(diagonal: [1, 1, 1]) }
        let cones = ColourMatrix([0.8951, -0.7502, 0.0389], [0.2664, 1.7135, -0.0685], [-0.1614, 0.0367, 1.0296])
        let (before, after) = (cones * (xyz(white) / white.y), cones * (xyz(other) / other.y))
        guard let back = cones.inverse, before.min() > 0 else { return nil }
        return back * ColourMatrix(diagonal: after / before) * cones
    }
}
