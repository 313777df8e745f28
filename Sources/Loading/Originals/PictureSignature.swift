import Renditions

/// Recognises an image by its first bytes, before the rest has arrived. Only formats that a browser displays itself: an
/// original in another format must be complete and examined first.
enum PictureSignature {
    /// Bytes needed to recognise a format.
    static let length = 16

    static func mediaType(of bytes: some Sequence<UInt8>) -> String? {
        let head = Array(bytes.prefix(length))
        // An image sequence has the same media type.
        let isSequence = head.dropFirst(4).starts(with: "ftypavis".utf8)
        return isSequence ? FileFormat.avif.mediaType : FileFormat(of: head)?.mediaType
    }
}
