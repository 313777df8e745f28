/// A kind of pictures or videos that the gallery does not show. A file or object is of a kind by its name's extension;
/// files whose first bytes show that they are something else are excepted.
public struct UnshownKind: Hashable, Sendable {
    /// In the API and the index. Unique.
    public let name: String
    /// What people call it.
    public let title: String
    /// In lower case, without the dot, of at most five letters.
    public let fileExtensions: [String]

    /// All kinds: the formats without a decoder, and videos.
    public static let all: [UnshownKind] =
        ImageFormat.all.filter { $0.decoder == nil }.map {
            UnshownKind(name: $0.name, title: $0.title, fileExtensions: $0.fileExtensions)
        } + [
            UnshownKind(
                name: "video", title: "video",
                fileExtensions: [
                    "mp4", "m4v", "mov", "qt", "avi", "mkv", "webm", "mpg", "mpeg", "mts", "m2ts", "3gp", "3g2", "wmv",
                    "flv", "ogv", "insv", "lrv",
                ])
        ]

    private static let byExtension: [String: UnshownKind] = Dictionary(
        uniqueKeysWithValues: all.flatMap { kind in kind.fileExtensions.map { ($0, kind) } })

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private init(name: String, title: String, fileExtensions: [String]) {
        self.name = name
        self.title = title
        self.fileExtensions = fileExtensions
    }

    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The kind with this name; nil if there is none.
    public init?(named name: String) {
        guard let kind = Self.byName[name] else { return nil }
        self = kind
    }

    /// The kind of a file with this name; nil for any other.
    public init?(fileName: some BidirectionalCollection<UInt8>) {
        guard let dot = fileName.suffix(6).lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = String(decoding: fileName[fileName.index(after: dot)...], as: UTF8.self).lowercased()
        guard let kind = Self.byExtension[ending] else { return nil }
        self = kind
    }

    /// Whether a file of this kind that begins like a file of the format is one of the kind nevertheless. Most RAW
    /// formats are TIFF inside, with a thumbnail as their first image.
    public func includes(_ format: ImageFormat) -> Bool { name == "raw" && format.name == "tiff" }
}
