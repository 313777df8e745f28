import Images

/// Makes the ids of one source's images, from what they are and not from when they were met: the same after a restart,
/// after others came or went, and after the data folder was deleted.
///
/// A file's id comes from its folder's own name and its path beneath it, so a folder may be moved or mounted elsewhere;
/// a URL's from the URL. The same URL met again (or, once in many lives, another image with the same 64 bits) takes the
/// next attempt, in the order of the sources and of their images.
struct Identity {
    private let prefix: SipHash

    /// - Parameter namesakes: how many sources before this one have the same folder name.
    init(folder name: String, namesakes: Int) {
        var prefix = SipHash(domain: .file)
        prefix.update(name.utf8)
        prefix.update(0 as UInt8)
        prefix.update(UInt64(namesakes))
        self.prefix = prefix
    }

    /// For a bucket, whose images are told by their whole keys: the same beneath another prefix, and at another endpoint.
    init(bucket name: String, prefix keys: String) {
        var prefix = SipHash(domain: .object)
        prefix.update(name.utf8)
        prefix.update(0 as UInt8)
        prefix.update(keys.utf8)
        self.prefix = prefix
    }

    /// For lists of URLs, all alike: a picture that moves from one list to another is the same picture.
    init() {
        prefix = SipHash(domain: .url)
    }

    /// The id of a location that no other image has taken.
    func firstID(of location: String) -> ImageID {
        var hasher = prefix
        hasher.update(location.utf8)
        hasher.update(0 as UInt64)
        return ImageID(rawValue: hasher.finish())
    }

    /// - Parameters:
    ///   - isTaken: whether the id belongs to another image already.
    ///   - repeats: for each first choice that was taken, the attempt to go on with: a list of a million times the same
    ///     URL must not try them all each time.
    func id(of location: String, repeats: inout [UInt64: UInt64], isTaken: (UInt64) -> Bool) -> ImageID {
        var hasher = prefix
        hasher.update(location.utf8)
        func id(attempt: UInt64) -> UInt64 {
            var hasher = hasher
            hasher.update(attempt)
            return hasher.finish()
        }
        let first = id(attempt: 0)
        guard isTaken(first) else { return ImageID(rawValue: first) }
        var attempt = repeats[first] ?? 1
        while isTaken(id(attempt: attempt)) { attempt += 1 }
        repeats[first] = attempt + 1
        return ImageID(rawValue: id(attempt: attempt))
    }
}
