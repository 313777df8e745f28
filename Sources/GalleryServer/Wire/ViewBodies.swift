import Catalog

/// The months of a view.
struct TimelineBody: Encodable, Sendable {
    struct Month: Encodable, Sendable {
        /// `2019-06`; null for the images of which it is not known.
        let month: String?
        let first: Int
        let count: Int

        private enum Key: CodingKey { case month, first, count }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(month, forKey: .month)
            try container.encode(first, forKey: .first)
            try container.encode(count, forKey: .count)
        }

        init(_ month: Timeline.Month) {
            if let year = month.year, let number = month.month {
                let digits = String(year)
                self.month =
                    String(repeating: "0", count: max(0, 4 - digits.count)) + digits + (number < 10 ? "-0" : "-")
                    + String(number)
            } else {
                self.month = nil
            }
            first = month.first
            count = month.count
        }
    }

    let revision: Int
    let total: Int
    let months: [Month]

    init(_ timeline: Timeline) {
        revision = Int(clamping: timeline.revision)
        total = timeline.total
        months = timeline.months.map(Month.init)
    }
}

/// The folders in one.
struct FoldersBody: Encodable, Sendable {
    struct Folder: Encodable, Sendable {
        let path: String
        let name: String
        let count: Int
        let hasFolders: Bool
    }

    let parent: String
    let folders: [Folder]

    init(parent: String, _ folders: [GalleryFolder]) {
        self.parent = parent
        self.folders = folders.map {
            Folder(path: $0.path, name: $0.name, count: $0.count, hasFolders: $0.hasFolders)
        }
    }
}

/// Where an image stands in a view.
struct PositionBody: Encodable, Sendable {
    let index: Int
    let revision: Int
}

/// How wide the images of each block are together.
struct ShapeBody: Encodable, Sendable {
    let revision: Int
    let total: Int
    let block: Int
    let parts: [Int]
    let sums: [Double]

    init(_ shape: Shape) {
        revision = Int(clamping: shape.revision)
        total = shape.total
        block = Shape.block
        parts = shape.parts
        sums = shape.sums.map { ($0 * 10).rounded() / 10 }
    }
}
