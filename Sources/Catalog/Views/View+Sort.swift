extension View {
    /// The sort key. Images without the value come last in both directions, sorted by path.
    public enum Sort: Hashable, Sendable {
        /// The sources' own order: by path in folders, by line in lists.
        case path
        /// By the date taken, in local time.
        case taken
        /// By file name in natural order: `IMG_2` before `IMG_10`.
        case name
        /// By the original's size in bytes.
        case size
        /// By the time when the image was added to the gallery.
        case added
        /// Random, and reproducible for the same seed: adding or removing an image does not change the relative order
        /// of the others.
        case shuffle(seed: UInt64)
    }
}

extension View.Sort {
    /// Every sort order, in the sequence in which they are offered. The first is the default.
    public static func all(seed: UInt64) -> [View.Sort] { [.path, .taken, .name, .size, .added, .shuffle(seed: seed)] }

    /// What distinguishes the order from others, and how pages offer it.
    public var traits: Traits {
        switch self {
        case .path:
            Traits(
                name: "path", label: "Folder order", ascending: "Folder order, A–Z",
                descending: "Folder order, Z–A", needsMetadata: false)
        case .taken:
            Traits(
                name: "taken", label: "Date taken", ascending: "Oldest first", descending: "Newest first",
                beginsDescending: true, hasMonths: true)
        case .name: Traits(name: "name", label: "Name", ascending: "A to Z", descending: "Z to A")
        case .size:
            Traits(
                name: "size", label: "File size", ascending: "Smallest first", descending: "Largest first",
                beginsDescending: true)
        case .added:
            Traits(
                name: "added", label: "Date added", ascending: "Oldest first", descending: "Newest first",
                beginsDescending: true)
        case .shuffle:
            Traits(
                name: "shuffle", label: "Shuffled", ascending: "Shuffle again", descending: "Shuffle again",
                needsMetadata: false, isRandom: true)
        }
    }

    /// The value of the parameter `sort`.
    public var name: String { traits.name }

    /// The traits of one sort order.
    public struct Traits: Hashable, Sendable {
        /// The value of the parameter `sort`.
        public let name: String
        /// What menus call the order.
        public let label: String
        /// The name of each direction in menus: it says which images come first.
        public let ascending: String
        public let descending: String
        /// Whether people expect the descending direction first: the newest, or the largest.
        public let beginsDescending: Bool
        /// Whether the images can be divided by month.
        public let hasMonths: Bool
        /// False if images can be sorted so when nothing is known of them but their position.
        public let needsMetadata: Bool
        /// Whether it depends on the parameter `seed` instead of a direction.
        public let isRandom: Bool

        public init(
            name: String, label: String, ascending: String, descending: String, beginsDescending: Bool = false,
            hasMonths: Bool = false, needsMetadata: Bool = true, isRandom: Bool = false
        ) {
            self.name = name
            self.label = label
            self.ascending = ascending
            self.descending = descending
            self.beginsDescending = beginsDescending
            self.hasMonths = hasMonths
            self.needsMetadata = needsMetadata
            self.isRandom = isRandom
        }
    }
}
