/// What must be known of a colour profile (ICC.1:2022) before it is used.
struct ICCProfile {
    /// The colour space of the device, in which the image's code values are.
    enum Space: String {
        case grey = "GRAY"
        case rgb = "RGB "
        case cmyk = "CMYK"
    }

    /// How the profile is to be applied.
    enum Intent {
        case relative
        case perceptual
        case saturation
    }

    let space: Space
    /// Whether the profile calls itself sRGB, as those of most cameras and editors do, so that no conversion is needed.
    let isStandardRGB: Bool
    /// The first intent that the profile supports; nil if it supports none.
    let intent: Intent?

    private static let maximumTags = 64

    /// Nil for a space of other devices, and for what is no profile.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 132, let space = Space(rawValue: String(decoding: bytes[16..<20], as: UTF8.self)) else {
            return nil
        }
        self.space = space
        var tags: [String: Range<Int>] = [:]
        for index in 0..<min(Self.word(bytes, 128) ?? 0, Self.maximumTags) {
            let entry = 132 + 12 * index
            guard let offset = Self.word(bytes, entry + 4), let length = Self.word(bytes, entry + 8) else { break }
            guard offset + length <= bytes.count else { continue }
            tags[String(decoding: bytes[entry..<entry + 4], as: UTF8.self)] = offset..<offset + length
        }
        // One or two bytes per letter, depending on the profile's version; zeros are dropped.
        let name = tags["desc"].map { String(decoding: bytes[$0.prefix(256)].filter { $0 != 0 }, as: UTF8.self) } ?? ""
        isStandardRGB = space == .rgb && name.contains("sRGB") && !name.contains("linear")
        let hasCurves = tags["kTRC"] != nil || tags["rXYZ"] != nil && tags["rTRC"] != nil
        intent =
            if hasCurves || tags["A2B1"] != nil {
                .relative
            } else if tags["A2B0"] != nil {
                .perceptual
            } else {
                tags["A2B2"] == nil ? nil : .saturation
            }
    }

    private static func word(_ bytes: [UInt8], _ position: Int) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        return bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
