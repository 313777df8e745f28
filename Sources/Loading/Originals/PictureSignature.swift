import Renditions

/// Tells pictures by their first bytes, before the rest has arrived. Only formats that a browser shows as they are: a
/// growing original of another kind waits until it is whole and has been looked into.
enum PictureSignature {
    /// As many bytes as are needed to tell.
    static let length = 16

    static func mediaType(of bytes: some Sequence<UInt8>) -> String? {
        let head = Array(bytes.prefix(length))
        // A sequence of frames goes by the same name.
        let isSequence = head.dropFirst(4).starts(with: "ftypavis".utf8)
        return isSequence ? FileFormat.avif.mediaType : FileFormat(of: head)?.mediaType
    }
}
