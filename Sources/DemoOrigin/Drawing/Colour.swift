import Glibc

/// An sRGB colour; each component ranges from 0 to 1.
struct Colour: Hashable, Sendable {
    var red: Float
    var green: Float
    var blue: Float

    init(red: Float, green: Float, blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// 0xRRGGBB.
    init(_ hex: UInt32) {
        red = Float(hex >> 16 & 255) / 255
        green = Float(hex >> 8 & 255) / 255
        blue = Float(hex & 255) / 255
    }

    /// A colour by perceived lightness and chroma (Oklab, Björn Ottosson, 2020), so that palettes made by rotating
    /// the hue stay balanced.
    ///
    /// - Parameter hue: A fraction of a full turn: 0 is pink, 0.25 yellow-green, 0.5 teal, 0.75 blue.
    init(lightness: Float, chroma: Float, hue: Float) {
        let a = chroma * cosf(hue * 2 * .pi)
        let b = chroma * sinf(hue * 2 * .pi)
        let long = lightness + 0.396_337_78 * a + 0.215_803_76 * b
        let middle = lightness - 0.105_561_35 * a - 0.063_854_17 * b
        let short = lightness - 0.089_484_18 * a - 1.291_485_5 * b
        let (l, m, s) = (long * long * long, middle * middle * middle, short * short * short)
        func encoded(_ linear: Float) -> Float {
            let linear = min(max(linear, 0), 1)
            return linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * powf(linear, 1 / 2.4) - 0.055
        }
        red = encoded(4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s)
        green = encoded(-1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s)
        blue = encoded(-0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s)
    }

    func mixed(with other: Colour, _ share: Float) -> Colour {
        Colour(
            red: red + (other.red - red) * share, green: green + (other.green - green) * share,
            blue: blue + (other.blue - blue) * share)
    }
}
