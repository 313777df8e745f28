import FileHeads

/// The beginning of a remote original whose rest is still arriving. Most cameras embed a small preview near the start
/// of a JPEG, so the preview of a twelve-megapixel image need not wait for the whole file.
struct OriginalPrefix: Sendable {
    /// The lengths in bytes at which to try a partial decode. Exif takes at most 64 KB (CIPA DC-008, 4.7.2: one APP1
    /// segment); colour profiles and other segments before the image's own header need more.
    static let lengths = [Int64(CameraThumbnail.headLength), 256 << 10]

    /// The future whole original, open for reading the part that has arrived.
    let source: OriginalSource
    /// Bytes that have arrived.
    let available: Int64
    let freshUntil: Int64
    /// The record by which a rendition of it is found on disk later.
    let record: CachedOriginal
    /// The thumbnail in it as a preview; nil if there is none that can be trusted.
    let thumbnail: RenditionBytes?

    /// Reads the file for the thumbnail; blocks.
    init(of source: OriginalSource, available: Int64, record: CachedOriginal) {
        self.source = source
        self.available = available
        self.record = record
        freshUntil = record.freshUntil
        thumbnail = (try? source.descriptor.read(CameraThumbnail.headLength, at: 0)).flatMap {
            RenditionBytes(thumbnailIn: $0, of: source)
        }
    }
}
