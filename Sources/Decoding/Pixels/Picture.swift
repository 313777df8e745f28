import CVips
import Glibc

/// Owns one image of libvips. Its pixels are computed on demand, so any operation may fail because of the original.
/// Used by one thread at a time.
final class Picture {
    let handle: UnsafeMutablePointer<VipsImage>

    /// Takes ownership of a reference.
    init(owning handle: UnsafeMutablePointer<VipsImage>) {
        self.handle = handle
    }

    deinit { g_object_unref(handle) }

    var width: Int { Int(vips_image_get_width(handle)) }
    var height: Int { Int(vips_image_get_height(handle)) }
    var bands: Int { Int(vips_image_get_bands(handle)) }
    var hasAlpha: Bool { vips_image_hasalpha(handle) != 0 }
    var space: VipsInterpretation { vips_image_get_interpretation(handle) }
    var bytesPerBand: Int { Int(vips_format_sizeof(vips_image_get_format(handle))) }

    func integer(_ name: String) -> Int? {
        var value: Int32 = 0
        guard vips_image_get_typeof(handle, name) != 0, vips_image_get_int(handle, name, &value) == 0 else {
            return nil
        }
        return Int(value)
    }

    /// A copy of the binary metadata item with this name.
    func blob(_ name: String) -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard vips_image_get_typeof(handle, name) != 0, vips_image_get_blob(handle, name, &bytes, &count) == 0,
            let bytes
        else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The result of one operation on this image.
    ///
    /// - Throws: `DecoderFailure` if the operation fails.
    func applying(
        _ operation: (
            UnsafeMutablePointer<VipsImage>, inout UnsafeMutablePointer<VipsImage>?
        ) -> Int32
    ) throws(DecoderFailure) -> Picture {
        var result: UnsafeMutablePointer<VipsImage>?
        let status = operation(handle, &result)
        return try Picture.checked(status, result)
    }

    /// - Throws: `DecoderFailure` if `status` says that the operation failed.
    static func checked(
        _ status: Int32, _ result: UnsafeMutablePointer<VipsImage>?
    ) throws(DecoderFailure) -> Picture {
        guard status == 0, let result else {
            if let result { g_object_unref(result) }
            throw DecoderFailure()
        }
        return Picture(owning: result)
    }

}

extension Picture {
    /// The number of rows computed at a time: large enough that little is computed twice where a row depends on its
    /// neighbours, and small enough that only a small part of a large original is in memory.
    private static let rowsAtOnce = 16

    /// All pixels, computed now on this thread and held in memory. The result depends on nothing else any more, and has
    /// no metadata. The image must have one to four bands of bytes.
    ///
    /// - Throws: `DecoderFailure`; also soon after `stop` is used.
    func inMemory(stop: RenderStop) throws(DecoderFailure) -> Picture {
        guard let memory = vips_image_new_memory() else { throw DecoderFailure() }
        let made = Picture(owning: memory)
        vips_image_init_fields(
            memory, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
            Self.space(ofBands: bands), 1, 1)
        var number: Int32 = 0
        try eachRow(stop: stop) { row throws(DecoderFailure) in
            let pixels = UnsafeMutableRawPointer(mutating: row.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            guard vips_image_write_line(memory, number, pixels) == 0 else { throw DecoderFailure() }
            number += 1
        }
        return made
    }

    /// Passes on all rows in order, computed now on this thread. The image must have one to four bands of bytes.
    ///
    /// - Throws: `DecoderFailure`; also soon after `stop` is used.
    func eachRow(
        stop: RenderStop, _ body: (UnsafeRawBufferPointer) throws(DecoderFailure) -> Void
    ) throws(DecoderFailure) {
        guard bytesPerBand == 1, (1...4).contains(bands) else { throw DecoderFailure("not bytes of one to four bands") }
        // libvips's own copying would use threads of its own. Here a stop takes effect between any two strips, and the
        // decoder's warnings are known to belong to this image.
        guard vips_image_pio_input(handle) == 0, let region = vips_region_new(handle) else { throw DecoderFailure() }
        defer { g_object_unref(region) }
        for top in stride(from: 0, to: height, by: Self.rowsAtOnce) {
            let rows = min(Self.rowsAtOnce, height - top)
            var strip = VipsRect(left: 0, top: Int32(top), width: Int32(width), height: Int32(rows))
            guard !stop.isStopped, vips_region_prepare(region, &strip) == 0 else { throw DecoderFailure() }
            for row in top..<top + rows {
                try body(UnsafeRawBufferPointer(start: cvips_region_row(region, Int32(row)), count: width * bands))
            }
        }
    }

    /// Without transparency, over the background 0xRRGGBB.
    func flattened(over background: UInt32) throws(DecoderFailure) -> Picture {
        let colours = [16, 8, 0].map { Double((background >> $0) & 0xff) }
        let grey = colours.reduce(0, +) / 3
        return try applying { handle, result in
            bands == 4 ? cvips_flatten(handle, &result, colours, 3) : cvips_flatten(handle, &result, [grey], 1)
        }
    }

    private static func space(ofBands bands: Int) -> VipsInterpretation {
        bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
    }

    /// An image in memory: one band of grey or three bands of colour, each optionally followed by alpha.
    convenience init(copying pixels: [UInt8], width: Int, height: Int, bands: Int) throws(DecoderFailure) {
        let copy = pixels.withUnsafeBytes {
            vips_image_new_from_memory_copy(
                $0.baseAddress, $0.count, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR)
        }
        guard let copy else { throw DecoderFailure() }
        defer { g_object_unref(copy) }
        var declared: UnsafeMutablePointer<VipsImage>?
        guard cvips_declare(copy, &declared, Self.space(ofBands: bands)) == 0, let declared else {
            throw DecoderFailure()
        }
        self.init(owning: declared)
    }

    /// The image, which must be in memory, rotated and mirrored according to an EXIF orientation.
    func upright(_ orientation: Int, stop: RenderStop) throws(DecoderFailure) -> Picture {
        guard orientation != 1 else { return self }
        // Metadata may be changed only on a private copy.
        let copy = try applying { cvips_declare($0, &$1, space) }
        vips_image_set_int(copy.handle, "orientation", Int32(orientation))
        return try copy.applying { cvips_autorotate($0, &$1) }.inMemory(stop: stop)
    }
}

/// A failure of libvips. The text is for the log.
struct DecoderFailure: Error {
    let text: String
    let cause: Cause

    enum Cause {
        /// The original's bytes.
        case picture
        /// The result would exceed a limit; nothing is wrong with the bytes.
        case bounds
        /// The result could not be encoded or written.
        case output
    }

    /// Takes the text of the last failure from libvips, and clears it.
    init() {
        self.init(DecoderLibrary.takeErrorText())
    }

    init(_ text: String, _ cause: Cause = .picture) {
        self.text = text
        self.cause = cause
    }
}
