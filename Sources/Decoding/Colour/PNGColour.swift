/// What a PNG's chunks say about its colours (PNG third edition, §11.3.2). libpng passes on only a profile.
struct PNGColour {
    private var codePoints: [UInt8]?
    private var isStandardRGB = false
    /// The exponent from light to code values.
    private var gamma: Double?
    private var primaries: ColourPrimaries?
    private var peakLuminance: Double?

    /// Takes a chunk, unless it is not about colours.
    ///
    /// - Parameter range: That of the chunk's contents in the file.
    mutating func take(_ name: ArraySlice<UInt8>, at range: Range<Int64>, of reader: SourceReader) {
        func content(_ length: Int) -> ArraySlice<UInt8>? {
            range.count == length ? reader.slice(at: range.lowerBound, count: length) : nil
        }
        switch String(decoding: name, as: UTF8.self) {
        case "cICP": codePoints = codePoints ?? content(4).map { Array($0) }
        case "sRGB": isStandardRGB = true
        case "gAMA": gamma = gamma ?? content(4).flatMap { $0.fractions.first }.flatMap { $0 > 0 ? $0 : nil }
        case "cHRM": primaries = primaries ?? content(32).map { Self.primaries($0.fractions) }
        // In units of 0.0001 cd/m².
        case "cLLI": peakLuminance = peakLuminance ?? content(8).flatMap { $0.fractions.first }.map { $0 * 10 }
        default: break
        }
    }

    private static func primaries(_ values: [Double]) -> ColourPrimaries {
        ColourPrimaries(
            red: [values[2], values[3]], green: [values[4], values[5]], blue: [values[6], values[7]],
            white: [values[0], values[1]])
    }

    /// The description with the highest precedence (§4.3): cICP, then a profile, then sRGB, then gAMA with or without
    /// cHRM. Nil if that is a profile, or the colours are those of sRGB.
    func description(hasProfile: Bool) -> ColourDescription? {
        var description: ColourDescription
        // The matrix of RGB is the only one for PNG. Browsers ignore the range.
        if let codePoints, codePoints[2] == 0 {
            description = ColourDescription(primaries: Int(codePoints[0]), transfer: Int(codePoints[1]))
            if let peakLuminance, peakLuminance > 0 { description.peakLuminance = peakLuminance }
        } else if !hasProfile, !isStandardRGB, let gamma {
            description = Self.description(gamma: gamma, primaries: primaries)
        } else {
            return nil
        }
        return description.isStandard ? nil : description
    }

    /// As in browsers, a gamma alone that is about that of usual displays stands for sRGB, and with chromaticities it
    /// describes a space of its own. Chromaticities alone do not say what the code values mean.
    private static func description(gamma: Double, primaries: ColourPrimaries?) -> ColourDescription {
        var description = ColourDescription()
        // As libpng has it (PNG_GAMMA_THRESHOLD).
        let isUsual = abs(1 / (gamma * 2.2) - 1) < 0.05
        if primaries != nil || !isUsual { description.transfer = .power(1 / gamma) }
        if let primaries { description.primaries = primaries }
        return description
    }
}

extension ArraySlice<UInt8> {
    /// Big-endian numbers of four bytes, in units of 0.00001.
    fileprivate var fractions: [Double] {
        stride(from: startIndex, to: endIndex - 3, by: 4).map { at in
            Double(self[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 100_000
        }
    }
}
