/// What a file's name says, which is little: the name never decides what a file is.
///
/// It only spares the scan a look: a name with an image's ending makes a file a candidate at once (and if its bytes
/// are something else, its slot says so). Any other file is a candidate if its first bytes are an image's, so a picture
/// without an ending, or with a wrong one, is shown, and a folder of documents is not a wall of broken slots.
enum ImageName {
    private static let endings: Set<[UInt8]> = Set(
        [
            "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "tif", "tiff",
            "svg",
            "jxl",
        ].map { Array($0.utf8) })

    /// What cameras, file managers and file systems leave behind beside the pictures; hidden names are skipped anyway.
    private static let leavings: Set<[UInt8]> = Set(
        [
            "@eadir", "#recycle", "$recycle.bin", "system volume information", "lost+found", "__macosx", "thumbs.db",
            "desktop.ini",
        ].map { Array($0.utf8) })

    static func isImage(_ name: [UInt8]) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 6 else { return false }
        return endings.contains(lowercased(name[(dot + 1)...]))
    }

    /// Hidden names (`.git`, `.thumbnails`, `._IMG_1.jpg`) and leavings are never looked into.
    static func isSkipped(_ name: [UInt8]) -> Bool {
        name.first == UInt8(ascii: ".") || name.count <= 32 && leavings.contains(lowercased(name[...]))
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
