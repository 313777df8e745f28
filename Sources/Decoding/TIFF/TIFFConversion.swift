import CTiff
import CVips

/// Decodes an image of a TIFF by libtiff's own conversion to RGB, for the few kinds that libvips misunderstands or cannot
/// decode.
final class TIFFConversion {
    private let handle: OpaquePointer
    private let image: TIFFImage

    /// Nil if libtiff cannot read the file.
    init?(_ image: TIFFImage, in reader: SourceReader) {
        self.image = image
        _ = reader.seek(to: 0, whence: 0)
        // h: no directory is read yet. m: the file is not mapped into memory.
        let opened = TIFFClientOpen(
            "", "rhm", Unmanaged.passUnretained(reader).toOpaque(),
            { context, buffer, count in
                guard let context, let buffer, count > 0 else { return 0 }
                let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
                return tmsize_t(reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))))
            },
            { _, _, _ in -1 },
            { context, offset, whence in
                guard let context, let offset = Int64(exactly: offset) else { return toff_t.max }
                let reader = Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue()
                let position = reader.seek(to: offset, whence: whence)
                return position < 0 ? toff_t.max : toff_t(position)
            },
            { _ in 0 },
            { context in
                guard let context else { return 0 }
                return toff_t(Unmanaged<SourceReader>.fromOpaque(context).takeUnretainedValue().length)
            },
            nil, nil)
        guard let opened else { return nil }
        handle = opened
    }

    deinit { TIFFClose(handle) }

    /// Whether libtiff can convert the image. It must agree about the size, for which memory is allocated.
    func isPossible() -> Bool {
        guard TIFFSetSubDirectory(handle, image.offset) == 1,
            let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height),
            ctiff_has_size(handle, width, height) == 1
        else { return false }
        var reason = [CChar](repeating: 0, count: 1_024)
        return TIFFRGBAImageOK(handle, &reason) == 1
    }

    /// All pixels as stored, in red, green and blue.
    ///
    /// - Parameter isTolerant: Whether missing pixels are left black.
    /// - Throws: `DecoderFailure`.
    func picture(isTolerant: Bool) throws(DecoderFailure) -> Picture {
        guard isPossible(), let memory = vips_image_new_memory() else { throw DecoderFailure() }
        let made = Picture(owning: memory)
        let (width, height) = (Int32(image.width), Int32(image.height))
        vips_image_init_fields(
            memory, width, height, 4, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, VIPS_INTERPRETATION_sRGB, 1, 1)
        guard vips_image_write_prepare(memory) == 0, let data = memory.pointee.data else { throw DecoderFailure() }
        let count = image.width * image.height
        data.initialize(repeating: 0, count: 4 * count)
        // The rows in the order in which they are stored: with another, libtiff would turn them over.
        let result = UnsafeMutableRawPointer(data).withMemoryRebound(to: UInt32.self, capacity: count) { pixels in
            TIFFReadRGBAImageOriented(
                handle, UInt32(width), UInt32(height), pixels, Int32(image.orientation), isTolerant ? 0 : 1)
        }
        guard result == 1 || isTolerant else { throw DecoderFailure() }
        return try made.applying { cvips_extract_bands($0, &$1, 3) }
    }
}
