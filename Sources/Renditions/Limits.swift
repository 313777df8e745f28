import CVips

/// The limits, as they are held against an original before any of its pixels is decoded.
extension Renderer.Configuration {
    func checkBytes(_ count: Int64, kind: FileKind) throws(RenderError) {
        let limit = kind == .svg ? min(maximumVectorBytes, maximumBytes) : maximumBytes
        guard count <= limit else {
            throw RenderError(.tooLarge, "This file is too large to be shown: more than \(limit >> 20) MB.")
        }
    }

    func checkFrames(_ count: Int) throws(RenderError) {
        guard count <= maximumFrames else {
            throw RenderError(.tooLarge, "This picture has too many frames to be shown: more than \(maximumFrames).")
        }
    }

    func checkTexts(_ count: Int) throws(RenderError) {
        guard count <= maximumTexts else {
            throw RenderError(.tooLarge, "This picture carries too many compressed texts: more than \(maximumTexts).")
        }
    }

    func checkScans(_ count: Int) throws(RenderError) {
        guard count <= maximumScans else {
            throw RenderError(.tooLarge, "This picture would take too long to decode: it has too many scans.")
        }
    }

    func checkPixels(_ header: Picture, kind: FileKind, frames: Int, isInterlaced: Bool) throws(RenderError) {
        let (width, height) = (header.width, header.height)
        guard width > 0, height > 0 else {
            throw RenderError(.damaged, "This picture has no pixels.")
        }
        try checkFrames(frames)
        // libvips holds both sides below 10 million, and the frames are limited now: no product leaves 64 bits.
        let pixels = Int64(width) * Int64(height)
        guard width <= maximumSide, height <= maximumSide, pixels <= maximumPixels,
            pixels * Int64(frames) <= maximumPixelsOfAllFrames
        else {
            throw RenderError(
                .tooLarge, "This picture is too large to be shown: \(width) by \(height) pixels.",
                logDetail: "\(frames) frames")
        }
        let perPixel = header.bands * header.bytesPerBand
        let needed = pixels * Int64(Self.bytesHeld(kind, isInterlaced: isInterlaced, bytesPerPixel: perPixel))
        guard needed <= maximumDecodedBytes else {
            throw RenderError(
                .tooLarge, "This picture is too large to be shown: decoding it would take \(needed >> 20) MB.")
        }
    }

    /// Bytes that a decoder holds for each pixel of the picture; 0 where it goes over the picture line by line.
    private static func bytesHeld(_ kind: FileKind, isInterlaced: Bool, bytesPerPixel: Int) -> Int {
        switch kind {
        case .jpeg: isInterlaced ? 2 * bytesPerPixel : 0
        case .png: isInterlaced ? bytesPerPixel : 0
        case .gif, .webp: 4
        // The planes and then the pixels.
        case .heif: bytesPerPixel + 2
        // A file may have all its lines in one strip.
        case .tiff: bytesPerPixel
        case .jxl: 4 * bytesPerPixel
        case .svg: 0
        }
    }
}
