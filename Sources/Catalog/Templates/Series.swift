import Hashing
import Images

/// The images of a URL template. Nothing is stored per image: an id is computed from the template and the number by an
/// invertible mixing function, so both directions take the same few nanoseconds for any count. An image's id does not
/// depend on the first number, so it keeps its metadata when that changes.
struct Series: Sendable {
    let template: URLTemplate
    private let key: UInt64

    /// - Parameter attempt: Distinguishes templates that would share ids: one named twice, or two with similar keys.
    init(_ template: URLTemplate, attempt: Int) {
        self.template = template
        var hasher = SipHash(domain: .template)
        hasher.update(template.pattern.utf8)
        hasher.update(UInt64(attempt))
        key = hasher.finish()
    }

    var count: Int { template.count }

    func id(at position: Int) -> ImageID {
        ImageID(rawValue: SplitMix.mixed(key ^ UInt64(template.first + position)))
    }

    func position(of id: ImageID) -> Int? {
        // The inverse of `SplitMix.mixed`: undoes each shift, and multiplies by the inverse of each factor modulo 2^64.
        var value = id.rawValue
        value ^= value >> 31 ^ value >> 62
        value = value &* 0x3196_42b2_d24d_8ec3
        value ^= value >> 27 ^ value >> 54
        value = value &* 0x96de_1b17_3f11_9089
        value ^= value >> 30 ^ value >> 60
        let (position, isBefore) = (value ^ key).subtractingReportingOverflow(UInt64(template.first))
        return !isBefore && position < UInt64(count) ? Int(position) : nil
    }

    /// Whether images of both could have the same id.
    func collides(with other: Series) -> Bool {
        let bits = max(32, UInt64.bitWidth - max(end, other.end).leadingZeroBitCount)
        return (key ^ other.key) >> bits == 0
    }

    /// The number after the last one.
    private var end: UInt64 { UInt64(template.first + count) }
}
