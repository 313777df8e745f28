import Glibc

/// How code values from 0 to 1 become light (the transfer characteristics of ITU-T H.273, table 3).
enum TransferFunction: Hashable, Sendable {
    /// IEC 61966-2-1. As browsers do, also used for the cameras' curves of BT.709, BT.601 and BT.2020: what they record
    /// is meant for displays like those of sRGB.
    case sRGB
    case linear
    /// The light is this power of the code value.
    case power(Double)
    /// SMPTE ST 240.
    case smpte240
    /// SMPTE ST 428-1, for cinemas.
    case smpte428
    /// The camera's curve of BT.709 itself (IEC 61966-2-4, BT.1361).
    case bt709
    /// A tenth of the light for each of so many equal steps.
    case logarithmic(decades: Double)
    /// SMPTE ST 2084, "PQ": the light is relative to ``ToneMapping/brightest``.
    case pq
    /// ARIB STD-B67, "HLG": the light is that of the scene, relative to the brightest.
    case hlg

    /// By its number in ITU-T H.273; nil if it is reserved or unspecified.
    init?(number: Int) {
        switch number {
        case 1, 6, 13, 14, 15: self = .sRGB
        case 4: self = .power(2.2)
        case 5: self = .power(2.8)
        case 7: self = .smpte240
        case 8: self = .linear
        case 9: self = .logarithmic(decades: 2)
        case 10: self = .logarithmic(decades: 2.5)
        case 11, 12: self = .bt709
        case 16: self = .pq
        case 17: self = .smpte428
        case 18: self = .hlg
        default: return nil
        }
    }

    /// The light for a code value from 0 to 1, itself from 0 to 1, or a little more for cinemas.
    func light(of code: Double) -> Double {
        switch self {
        case .sRGB: code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4)
        case .linear: code
        case .power(let exponent): pow(code, exponent)
        case .smpte240: code < 0.0912 ? code / 4 : pow((code + 0.1115) / 1.1115, 1 / 0.45)
        case .smpte428: 52.37 / 48 * pow(code, 2.6)
        case .bt709: code < 0.081 ? code / 4.5 : pow((code + 0.099) / 1.099, 1 / 0.45)
        case .logarithmic(let decades): code <= 0 ? 0 : pow(10, (code - 1) * decades)
        case .pq: Self.pqLight(of: code)
        case .hlg: Self.hlgLight(of: code)
        }
    }

    /// ITU-R BT.2100, table 4.
    private static func pqLight(of code: Double) -> Double {
        let (m1, m2) = (2610.0 / 16_384, 2523.0 / 32)
        let (c1, c2, c3) = (3424.0 / 4_096, 2413.0 / 128, 2392.0 / 128)
        let root = pow(code, 1 / m2)
        return pow(max(0, root - c1) / (c2 - c3 * root), 1 / m1)
    }

    /// ITU-R BT.2100, table 5.
    private static func hlgLight(of code: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
    }

    /// The code value of sRGB for light from 0 to 1.
    static func sRGBCode(for light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
