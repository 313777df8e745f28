/// The names that no source shows, wherever they occur: hidden ones, and what systems and programs leave beside the
/// images. Applies to files, folders, and the parts of bucket keys.
enum SkippedName {
    /// The only table of leftovers. Hidden names are not in it, because every name that begins with a dot is skipped:
    /// `.Trash-1000`, `.thumbnails`, `.@__thumb`, `.picasaoriginals`, `._IMG_1.jpg`.
    ///
    /// A name matches as a whole, in any case of the ASCII letters: file systems of Windows and macOS, and shares of
    /// them, do not tell the cases apart. Names that people give to albums, such as `Recycled`, are not in the table.
    private static let leftovers: [(origin: String, names: [String])] = [
        ("QNAP", ["@Recycle", "@Recently-Snapshot", "@Snapshot", "@Transcode", "Network Recycle Bin"]),
        (
            "Synology",
            ["@eaDir", "#recycle", "#snapshot", "@tmp", "@sharebin", "@sharesnap", "@SynoEAStream", "@SynoResource"]
        ),
        ("other network storage", ["@Recycle.Bin", "~snapshot", "trashbox", "Nas_Prog"]),
        (
            "Windows",
            [
                "$RECYCLE.BIN", "System Volume Information", "$WinREAgent", "WPSettings.dat", "Thumbs.db",
                "ehthumbs.db",
                "ehthumbs_vista.db", "desktop.ini",
            ]
        ),
        (
            "macOS",
            [
                "__MACOSX", "Network Trash Folder", "Temporary Items", "TheVolumeSettingsFolder",
                "TheFindByContentFolder",
            ]
        ),
        ("Linux", ["lost+found"]),
    ]

    private static let names: Set<[UInt8]> = Set(leftovers.flatMap(\.names).map { $0.utf8.map(folded) })
    private static let longest = names.map(\.count).max() ?? 0
    /// A quick check of the first letter, which spares most names the copy.
    private static let firstBytes: Set<UInt8> = Set(names.compactMap(\.first))

    static func contains(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return !name.isEmpty }
        return firstBytes.contains(folded(first)) && name.count <= longest && names.contains(name.map(folded))
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
