import Glibc

/// Brings the light of pictures for bright displays (PQ and HLG) into the range of sRGB, as Chromium does, so that a
/// rendition looks like the original in a browser: by the reference white tone mapping operator of SMPTE ST 2094-50.
/// Up to the white of a page, all light is reduced alike; what is brighter is compressed, and keeps its hue.
struct ToneMapping: Sendable {
    /// The light for the highest code value of PQ, in cd/m² (ITU-R BT.2100).
    static let brightest = 10_000.0
    /// The brightest light if the file does not state it, and always in HLG, in cd/m².
    static let usualPeak = 1_000.0
    /// The light of a white page, in cd/m² (ITU-R BT.2408, 2.1).
    private static let paperWhite = 203.0
    /// The exponent for the display of HLG at `usualPeak` (ITU-R BT.2100, table 5), less one.
    private static let displayGamma: Float = 0.2
    /// The luminance of BT.2020's primaries.
    private static let luminance: SIMD3<Float> = [0.2627, 0.6780, 0.0593]
    /// How far the curve is bent towards the corner between its beginning and its end.
    private static let bend: Float = 0.65

    /// From the light of the transfer function to multiples of paper white.
    private let scale: Float
    private let isOfScene: Bool
    /// The brightest light, which becomes 1, in multiples of paper white.
    private let peak: Float
    /// What paper white becomes.
    private let white: Float
    /// The coefficients of a quadratic Bézier curve from paper white to the peak: of its parameter's square, and of its
    /// parameter.
    private let square: SIMD2<Float>
    private let linear: SIMD2<Float>

    /// Nil for transfer functions of usual displays.
    init?(_ description: ColourDescription) {
        var peakLuminance = Self.usualPeak
        switch description.transfer {
        case .pq:
            isOfScene = false
            scale = Float(Self.brightest / Self.paperWhite)
            peakLuminance = description.peakLuminance
        case .hlg:
            isOfScene = true
            scale = Float(Self.usualPeak / Self.paperWhite)
        default: return nil
        }
        peak = Float(max(1, peakLuminance / Self.paperWhite))
        white = 1 - 0.5 * min(1, log2f(peak) / Float(log2(Self.usualPeak / Self.paperWhite)))
        // The line from black through white reaches 1 here.
        let corner: SIMD2<Float> = [1 / white, 1]
        let (start, end): (SIMD2<Float>, SIMD2<Float>) = ([1, white], [peak, 1])
        let middle = start + (corner - start) * Self.bend
        square = start - 2 * middle + end
        linear = 2 * (middle - start)
    }

    /// - Parameter light: Linear light of BT.2020's primaries, as the transfer function yields it.
    /// - Returns: The same with 1 for the white of sRGB.
    func mapped(_ light: SIMD3<Float>) -> SIMD3<Float> {
        var light = light * scale
        if isOfScene {
            let brightness = (light * Self.luminance).sum() / scale
            if brightness > 0 { light *= powf(brightness, Self.displayGamma) }
        }
        let strongest = light.max()
        return strongest > 0 ? light * (mapped(strongest) / strongest) : light
    }

    private func mapped(_ light: Float) -> Float {
        if light <= 1 { return light * white }
        if light >= peak { return 1 }
        // Where the curve is as far right.
        let root = (linear.x * linear.x + 4 * square.x * (light - 1)).squareRoot()
        let parameter = 2 * (light - 1) / (linear.x + root)
        return white + (linear.y + square.y * parameter) * parameter
    }
}
