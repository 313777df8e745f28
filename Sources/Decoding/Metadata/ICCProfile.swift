/// As much of a colour profile (ICC.1:2022) as tells whether converting from it is worth the work.
enum ICCProfile {
    /// Whether the profile calls itself sRGB, as those of most cameras and editors do: its pixels need no conversion.
    static func isStandardRGB(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 132, bytes[16..<20].elementsEqual("RGB ".utf8) else { return false }
        let count = word(bytes, 128) ?? 0
        for index in 0..<min(count, 64) {
            let entry = 132 + 12 * index
            guard let offset = word(bytes, entry + 4), let length = word(bytes, entry + 8) else { return false }
            guard bytes[entry..<entry + 4].elementsEqual("desc".utf8) else { continue }
            guard offset + length <= bytes.count else { return false }
            // One or two bytes a letter, by the version of the profile: the zeros are left out.
            let text = String(decoding: bytes[offset..<offset + min(length, 256)].filter { $0 != 0 }, as: UTF8.self)
            return text.contains("sRGB") && !text.contains("linear")
        }
        return false
    }

    private static func word(_ bytes: [UInt8], _ position: Int) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        return bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
