import CVips
import CWebP

extension CutWebP {
    /// The number of bytes given to the decoder at a time.
    private static let step = 64 << 10

    /// The whole canvas in red, green, blue and alpha; pixels that are missing are clear.
    ///
    /// - Throws: `DecoderFailure` if there are no pixels; also soon after `stop` is used.
    func picture(from reader: SourceReader, stop: RenderStop) throws(DecoderFailure) -> Picture {
        guard let memory = vips_image_new_memory() else { throw DecoderFailure() }
        let made = Picture(owning: memory)
        vips_image_init_fields(
            memory, Int32(width), Int32(height), 4, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, VIPS_INTERPRETATION_sRGB, 1, 1)
        guard vips_image_write_prepare(memory) == 0, let pixels = memory.pointee.data else { throw DecoderFailure() }
        let (stride, count) = (4 * width, 4 * width * height)
        pixels.initialize(repeating: 0, count: count)
        let start = covered.top * stride + 4 * covered.left
        guard let decoder = WebPINewRGB(MODE_RGBA, pixels + start, count - start, Int32(stride)) else {
            throw DecoderFailure("WebPINewRGB")
        }
        defer { WebPIDelete(decoder) }
        var status = VP8_STATUS_SUSPENDED
        if isFrame {
            let head = container
            status = WebPIAppend(decoder, head, head.count)
        }
        _ = reader.seek(to: data.lowerBound, whence: 0)
        var left = data.count
        while left > 0, status == VP8_STATUS_SUSPENDED {
            guard !stop.isStopped else { throw DecoderFailure() }
            let bytes = reader.chunk(upTo: min(left, Self.step))
            guard !bytes.isEmpty else { break }
            left -= bytes.count
            status = WebPIAppend(decoder, bytes, bytes.count)
        }
        var rows: Int32 = 0
        guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED,
            WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil, rows > 0
        else { throw DecoderFailure("no rows of a WebP that is cut short (status \(status.rawValue))") }
        return made
    }

    /// What makes the chunks of a frame a file: the container's header, and the size of the picture, which alpha
    /// requires (RFC 9649, 2.7).
    private var container: [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // The decoder needs no exact length, only one that no chunk exceeds.
        let (length, hasAlpha): (Int, UInt8) = (0x7fff_fffe, 0x10)
        return Array("RIFF".utf8) + little(length, 4) + Array("WEBPVP8X".utf8) + little(10, 4)
            + [hasAlpha, 0, 0, 0] + little(covered.width - 1, 3) + little(covered.height - 1, 3)
    }
}
