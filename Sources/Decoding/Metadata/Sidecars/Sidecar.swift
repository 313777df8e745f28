import Images
import Renditions

/// Reads what a sidecar says about its picture.
enum Sidecar {
    /// - Returns: Only what describes a picture; nothing for a file that says nothing.
    /// - Throws: `RenderError` if the file cannot be read, or is longer than its format may be.
    static func metadata(
        in source: RenderSource, as format: SidecarFormat, stop: RenderStop
    ) throws(RenderError) -> ImageMetadata {
        let reader = try SourceReader(source, stop: stop)
        guard reader.fileLength <= Int64(format.maximumLength) else {
            throw RenderError(.tooLarge, "This sidecar is too large.", logDetail: "\(reader.fileLength) bytes")
        }
        let bytes = reader.chunk(upTo: Int(reader.fileLength))
        if let error = reader.error { throw error }
        return metadata(in: bytes, as: format)
    }

    static func metadata(in bytes: [UInt8], as format: SidecarFormat) -> ImageMetadata {
        var metadata = ImageMetadata()
        switch format {
        case .xmp: PictureMetadata(xmp: XMPPacket(bytes[...])).describe(&metadata)
        case .takeout: TakeoutSidecar(bytes)?.describe(&metadata)
        }
        return metadata
    }
}
