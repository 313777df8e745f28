/// What has come of a remote original while the rest is on its way. Most cameras put a small picture at the beginning of a
/// JPEG: the preview of twelve megapixels need not wait for all of them.
struct OriginalBeginning: Sendable {
    /// Bytes after which a look at it makes sense. Exif has at most 64 KB (CIPA DC-008, 4.7.2: one APP1 segment); where
    /// colour profiles and other segments stand before the picture's own header there is more.
    static let lengths: [Int64] = [64 << 10, 256 << 10]

    /// As the whole will be, open where its beginning is.
    let source: OriginalSource
    /// Bytes that are there.
    let available: Int64
    let freshUntil: Int64
}
