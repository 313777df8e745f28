import Images

/// The images of a URL template. Nothing is kept for each: an id is made of the template and the index by a mixing that
/// can be undone, so both ways cost the same few nanoseconds at any count.
struct Series: Sendable {
    let template: URLTemplate
    private let key: UInt64

    /// - Parameter attempt: tells apart templates that would share ids: one named twice, or two with near keys.
    init(_ template: URLTemplate, attempt: Int) {
        self.template = template
        var hasher = SipHash(domain: .template)
        hasher.update(template.pattern.utf8)
        hasher.update(UInt64(attempt))
        key = hasher.finish()
    }

    var count: Int { template.count }

    func id(at position: Int) -> ImageID {
        ImageID(rawValue: SplitMix.mixed(key ^ UInt64(position)))
    }

    func position(of id: ImageID) -> Int? {
        // `SplitMix.mixed` backwards: each shift is undone, each factor's inverse modulo 2^64 multiplied.
        var value = id.rawValue
        value ^= value >> 31 ^ value >> 62
        value = value &* 0x3196_42b2_d24d_8ec3
        value ^= value >> 27 ^ value >> 54
        value = value &* 0x96de_1b17_3f11_9089
        value ^= value >> 30 ^ value >> 60
        let position = value ^ key
        return position < UInt64(count) ? Int(position) : nil
    }

    /// Whether an image of the one could have the id of an image of the other.
    func collides(with other: Series) -> Bool { (key ^ other.key) >> 32 == 0 }
}
