import CVips
import Images
import Renditions

/// Checks of an original against the limits, before any of its pixels is decoded.
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

    /// - Parameter bytesHeld: What is held per pixel beside the format's decoder, if anything.
    func checkPixels(
        _ header: Picture, kind: FileKind, frames: Int, isInterlaced: Bool, bytesHeld: Int?
    ) throws(RenderError) {
        let (width, height) = (header.width, header.height)
        guard width > 0, height > 0 else {
            throw RenderError(.damaged, "This picture has no pixels.")
        }
        try checkFrames(frames)
        // A vector drawing is drawn at the size of a rendition, which libvips can do down to a thousandth of its size
        // (`scale` of svgload).
        let longest = kind == .svg ? min(maximumSide, 60_000) : maximumSide
        guard width <= longest, height <= longest else {
            throw RenderError(.tooLarge, "This picture is too large to be shown: \(width) by \(height) pixels.")
        }
        // libvips limits both sides to 10 million, so the products fit into 64 bits.
        let pixels = Int64(width) * Int64(height)
        let held = kind.halfBytesHeld(
            isInterlaced: isInterlaced, bands: header.bands, bytesPerBand: header.bytesPerBand)
        let needed = pixels * Int64(held + 2 * (bytesHeld ?? 0)) / 2
        guard needed <= decodedBytes else {
            throw RenderError(
                .tooLarge, "This picture needs more memory than one picture may use (\(memory >> 20) MB).",
                logDetail: "\(width) by \(height) pixels, at least \(needed >> 20) MB to decode")
        }
    }

    /// Whether all pixels of an image fit into memory at once, and their file into a response.
    func checkWhole(_ original: InspectedOriginal) throws(RenderError) {
        let bytes = 4 * Int64(original.storedWidth) * Int64(original.storedHeight)
        guard original.kind == .svg || bytes <= decodedBytes else {
            throw RenderError(
                .tooLarge, "This picture is too large to be shown with all its pixels.",
                logDetail: "\(original.storedWidth) by \(original.storedHeight) pixels")
        }
    }
}
