import Encodings
import Images

/// Values computed from a view as a whole.
struct SurveyResults: Sendable {
    var timeline: Timeline?
    var shape: Shape?
    /// The images directly in each folder, by its path.
    var folders: [ExactText: FolderContents]?

    /// What the values were computed from: another order or newer metadata gives other values.
    struct Basis: Hashable, Sendable {
        let revision: UInt64
        let generations: [UInt64]

        init(of order: Order, _ generations: [UInt64]) {
            revision = order.revision
            self.generations = generations
        }
    }
}

/// The images of one or several folders.
struct FolderContents: Sendable {
    var count = 1
    /// The image that represents them, and the path of its folder.
    private(set) var cover: ImageID
    private var coverPath: String
    private var isCoverBroken: Bool

    /// One image.
    init(cover: ImageID, coverPath: String, isCoverBroken: Bool) {
        self.cover = cover
        self.coverPath = coverPath
        self.isCoverBroken = isCoverBroken
    }

    /// Adds the images of another folder, or a later image of the same one. The first image that is not broken
    /// represents all of them; a folder comes before those beneath it.
    mutating func add(_ other: FolderContents) {
        count += other.count
        guard isCoverBroken == other.isCoverBroken ? other.coverPath < coverPath : isCoverBroken else { return }
        (cover, coverPath, isCoverBroken) = (other.cover, other.coverPath, other.isCoverBroken)
    }
}

/// A cache of the values computed for recently used views.
struct SurveyCache: Sendable {
    /// The maximum number of views. Beyond it the cache is cleared, because recomputing costs little.
    private static let capacity = 16

    private var entries: [View: (moment: SurveyResults.Basis, surveys: SurveyResults)] = [:]

    /// The cached values for this view, order and metadata.
    subscript(view: View, moment: SurveyResults.Basis) -> SurveyResults {
        entries[view].flatMap { $0.moment == moment ? $0.surveys : nil } ?? SurveyResults()
    }

    mutating func keep<Value>(
        _ value: Value, as path: WritableKeyPath<SurveyResults, Value?>, of view: View, _ moment: SurveyResults.Basis
    ) {
        var surveys = self[view, moment]
        surveys[keyPath: path] = value
        if entries.count >= Self.capacity, entries[view] == nil { entries.removeAll() }
        entries[view] = (moment, surveys)
    }
}
