import CVips
import Renditions

/// Connects a `SourceReader` to libvips. libvips's reference keeps the reader alive as long as any image may still read
/// from it.
final class DecoderSource {
    let handle: UnsafeMutablePointer<VipsSource>
    let reader: SourceReader

    /// - Throws: `RenderError` with the reason `.failed`.
    init(_ reader: SourceReader) throws(RenderError) {
        // One reference for each of the two functions; `release` returns both.
        let context = Unmanaged.passRetained(reader).retain().toOpaque()
        let made = cvips_source_new(
            { _, buffer, length, context in
                guard let buffer, let context, length > 0 else { return 0 }
                let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
                return gint64(reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(length))))
            },
            { _, offset, whence, context in
                guard let context else { return -1 }
                let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
                return gint64(reader.seek(to: Int64(offset), whence: whence))
            },
            context,
            { context, _ in
                if let context { Unmanaged<SourceReader>.fromOpaque(context).release() }
            })
        guard let made else {
            Unmanaged<SourceReader>.fromOpaque(context).release()
            Unmanaged<SourceReader>.fromOpaque(context).release()
            throw RenderError(
                .failed, "The picture decoder is not available.", logDetail: DecoderLibrary.takeErrorText())
        }
        handle = made
        self.reader = reader
    }

    /// RFC 1952 §2.3.1.
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    deinit { g_object_unref(handle) }

    /// The format of the decoder that accepts the file by its first bytes; nil if none does.
    ///
    /// Compressed files are never offered to the decoders: compressed drawings are decompressed before, and libvips 8.14
    /// never returns from one that contains little and has something after its end.
    func sniffedKind() -> FileKind? {
        guard !reader.decodedHead.starts(with: Self.gzipMagic) else { return nil }
        guard let name = vips_foreign_find_load_source(handle) else {
            _ = DecoderLibrary.takeErrorText()
            return nil
        }
        return FileKind(loader: String(cString: name))
    }
}
