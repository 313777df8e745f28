import Hashing
import Images

/// Derives image ids from what the images are, rather than from when they were found. So ids stay the same after a
/// restart, when other images are added or removed, and after the data folder is deleted.
///
/// A file's id depends on its folder's own name and its path beneath that folder, so the folder may be moved or mounted
/// elsewhere. A URL's id depends on the URL. A repeated URL (or, extremely rarely, another image with the same 64 bits)
/// takes the next attempt, in the order of the sources and their images.
struct ImageIDGenerator {
    private let prefix: SipHash

    /// - Parameter namesakes: The number of earlier sources with the same folder name.
    init(folder name: String, namesakes: Int) {
        var prefix = SipHash(domain: .file)
        prefix.update(name.utf8)
        prefix.update(0 as UInt8)
        prefix.update(UInt64(namesakes))
        self.prefix = prefix
    }

    /// For a bucket. Ids depend on the whole key, so they are the same for another prefix and at another endpoint.
    init(bucket name: String, prefix keys: String) {
        var prefix = SipHash(domain: .object)
        prefix.update(name.utf8)
        prefix.update(0 as UInt8)
        prefix.update(keys.utf8)
        self.prefix = prefix
    }

    /// For all URL lists alike: an image that moves from one list to another stays the same image.
    init() {
        prefix = SipHash(domain: .url)
    }

    /// The id of a location if no other image has taken that id.
    func firstID(of location: String) -> ImageID {
        var hasher = prefix
        hasher.update(location.utf8)
        hasher.update(0 as UInt64)
        return ImageID(rawValue: hasher.finish())
    }

    /// - Parameters:
    ///   - repeats: For each first choice that was taken, the next attempt to try: a list with the same URL a million
    ///     times must not try all attempts each time.
    ///   - isTaken: Whether another image already has the id.
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
