import Images

/// What a file's name says, which is little: the name never decides what a file is.
///
/// It only saves the scan from reading files: a name with an image's extension makes the file a candidate at once, and
/// if its bytes turn out to be something else, its slot shows that. Any other file is a candidate if its first bytes
/// are an image's. So an image with a wrong extension, or none, is shown, and a folder of documents does not become a
/// wall of broken slots.
enum ImageName {
    /// Extensions of at most five letters, each packed into one number.
    private static let endings: Set<UInt64> = Set(
        ImageFormat.all.filter { $0.decoder != nil }.flatMap(\.fileExtensions).map { packed($0.utf8) })

    static func isImage(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard let dot = name.suffix(6).lastIndex(of: UInt8(ascii: ".")) else { return false }
        return endings.contains(packed(name[name.index(after: dot)...]))
    }

    private static func packed(_ ending: some Sequence<UInt8>) -> UInt64 {
        ending.reduce(0) { $0 << 8 | UInt64(folded($1)) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
