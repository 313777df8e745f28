import Images

/// What has come of a remote original while the rest is on its way. Most cameras put a small picture at the beginning of a
/// JPEG: the preview of twelve megapixels need not wait for all of them.
struct OriginalBeginning: Sendable {
    /// Bytes after which a look at it makes sense. Exif has at most 64 KB (CIPA DC-008, 4.7.2: one APP1 segment); where
    /// colour profiles and other segments stand before the picture's own header there is more.
    static let lengths: [Int64] = [64 << 10, 256 << 10]

    let descriptor: OwnedDescriptor
    /// Bytes that are there.
    let available: Int64
    let version: ContentVersion
    /// Bytes of the whole.
    let length: Int64
    /// Seconds since 1970, as far as known.
    let modified: Int64?
    let freshUntil: Int64
    let mayStore: Bool

    var source: OriginalSource {
        OriginalSource(
            descriptor: descriptor, version: version, length: length, modified: modified, mayStore: mayStore)
    }
}
