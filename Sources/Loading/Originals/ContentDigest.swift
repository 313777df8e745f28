import Images
import Origins

/// Tells the version of a remote original: by its strong entity tag, else by its date and length, else by its bytes.
/// FNV-1a with a finaliser; not against forgery, for an origin can only forge its own pictures.
struct ContentDigest: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    var version: ContentVersion {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return ContentVersion(rawValue: mixed ^ (mixed >> 31))
    }

    /// Nil when the validators are too weak to tell two contents apart.
    static func version(of validators: Validators, length: Int64?) -> ContentVersion? {
        var digest = ContentDigest()
        if let tag = validators.strongEntityTag {
            digest.update("etag ".utf8)
            digest.update(tag.utf8)
            return digest.version
        }
        guard let date = validators.lastModified, let length else { return nil }
        digest.update("date \(length) ".utf8)
        digest.update(date.utf8)
        return digest.version
    }
}
