import CVips
import Renditions

/// The limits, as they are held against an original before any of its pixels is decoded.
extension RenderLimits {
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
        // A drawing is drawn at the size of a rendition, which libvips does down to a thousandth (scale of svgload).
        let longest = kind == .svg ? min(maximumSide, 60_000) : maximumSide
        guard width <= longest, height <= longest else {
            throw RenderError(.tooLarge, "This picture is too large to be shown: \(width) by \(height) pixels.")
        }
        // libvips holds both sides to 10 million: no product leaves 64 bits.
        let pixels = Int64(width) * Int64(height)
        let needed = pixels * Int64(Self.bytesHeld(kind, isInterlaced: isInterlaced, header)) / 2
        guard needed <= decodedBytes else {
            throw RenderError(
                .tooLarge, "This picture needs more memory than a picture may have (\(memory >> 20) MB).",
                logDetail: "\(width) by \(height) pixels, at least \(needed >> 20) MB to decode")
        }
    }

    /// Whether all pixels of a picture can be in memory at once, and their file in an answer.
    func checkWhole(_ original: Examination) throws(RenderError) {
        let bytes = 4 * Int64(original.storedWidth) * Int64(original.storedHeight)
        guard original.kind == .svg || bytes <= decodedBytes else {
            throw RenderError(
                .tooLarge, "This picture is too large to be shown with all its pixels.",
                logDetail: "\(original.storedWidth) by \(original.storedHeight) pixels")
        }
    }

    /// Half bytes that a decoder holds at least for each pixel of the picture; 0 where it can go over the picture line by
    /// line, or where it depends on more than the header tells: then the worker's limit decides.
    private static func bytesHeld(_ kind: FileKind, isInterlaced: Bool, _ header: Picture) -> Int {
        switch kind {
        // Coefficients of two bytes, half of the colour's left out.
        case .jpeg: isInterlaced ? (header.bands == 1 ? 4 : 6) : 0
        case .png: isInterlaced ? 2 * header.bands * header.bytesPerBand : 0
        case .gif: 8
        // The planes, half of the colour's left out, and then the pixels.
        case .heif: (2 * header.bands + 3) * header.bytesPerBand
        // One float for each band.
        case .jxl: 8 * header.bands
        case .webp, .tiff, .svg: 0
        }
    }
}
