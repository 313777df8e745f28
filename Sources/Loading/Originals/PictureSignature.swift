/// Tells pictures by their first bytes, before the rest has arrived. Only formats that a browser shows as they are: a
/// growing original of another kind waits until it is whole and has been looked into.
enum PictureSignature {
    /// As many bytes as are needed to tell.
    static let length = 16

    static func mediaType(of bytes: some Sequence<UInt8>) -> String? {
        let head = Array(bytes.prefix(length))
        if head.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
        if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
        if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return "image/gif" }
        guard head.count >= 12 else { return nil }
        if head.starts(with: Array("RIFF".utf8)), Array(head[8..<12]) == Array("WEBP".utf8) { return "image/webp" }
        guard Array(head[4..<8]) == Array("ftyp".utf8) else { return nil }
        return ["avif", "avis"].contains(String(decoding: head[8..<12], as: UTF8.self)) ? "image/avif" : nil
    }
}
