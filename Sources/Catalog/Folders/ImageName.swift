/// What a file's name says, which is little: the name never decides what a file is.
///
/// It only spares the scan a look: a name with an image's ending makes a file a candidate at once (and if its bytes
/// are something else, its slot says so). Any other file is a candidate if its first bytes are an image's, so a picture
/// without an ending, or with a wrong one, is shown, and a folder of documents is not a wall of broken slots.
enum ImageName {
    /// Of at most five letters, each packed into one number.
    private static let endings: Set<UInt64> = Set(
        [
            "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "tif", "tiff",
            "svg",
            "jxl",
        ].map { packed($0.utf8) })

    /// What cameras, file managers and file systems leave behind beside the pictures; hidden names are skipped anyway.
    private static let leavings: Set<[UInt8]> = Set(
        [
            "@eadir", "#recycle", "$recycle.bin", "system volume information", "lost+found", "__macosx", "thumbs.db",
            "desktop.ini",
        ].map { Array($0.utf8) })

    /// Most names begin with another letter, and need no copy.
    private static let firstOfLeavings: Set<UInt8> = Set(leavings.compactMap(\.first))

    static func isImage(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard let dot = name.suffix(6).lastIndex(of: UInt8(ascii: ".")) else { return false }
        return endings.contains(packed(name[name.index(after: dot)...]))
    }

    /// Hidden names (`.git`, `.thumbnails`, `._IMG_1.jpg`) and leavings are never looked into.
    static func isSkipped(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return !name.isEmpty }
        return firstOfLeavings.contains(folded(first)) && name.count <= 32 && leavings.contains(name.map(folded))
    }

    private static func packed(_ ending: some Sequence<UInt8>) -> UInt64 {
        ending.reduce(0) { $0 << 8 | UInt64(folded($1)) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
