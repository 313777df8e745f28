/// A file whose presence in a folder leaves out that folder, or some files beneath it. Markers are hidden files, and
/// their names are compared as they are.
enum FolderMarker: String, CaseIterable {
    /// Leaves out the folder and everything beneath it, as on Android.
    case noMedia = ".nomedia"
    /// The same, for images only; Nextcloud's name.
    case noImage = ".noimage"
    /// Patterns of what to leave out, in the syntax of `gitignore(5)`, relative to the folder. Without any pattern it
    /// leaves out the whole folder, as media servers and other galleries read an empty `.ignore`.
    case ignore = ".ignore"
    /// The same patterns; PhotoPrism's name. Without any pattern it leaves out nothing.
    case photoPrismIgnore = ".ppignore"

    private static let bytes = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    init?(_ name: some Collection<UInt8>) {
        guard name.first == UInt8(ascii: "."), let marker = Self.bytes[Array(name)] else { return nil }
        self = marker
    }

    var name: [UInt8] { Array(rawValue.utf8) }

    /// Whether its content says what to leave out.
    var hasPatterns: Bool {
        switch self {
        case .noMedia, .noImage: false
        case .ignore, .photoPrismIgnore: true
        }
    }

    /// Whether the whole folder is left out if the file contains no pattern.
    var leavesOutAllWithoutPatterns: Bool { self != .photoPrismIgnore }
}
