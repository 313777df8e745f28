import Images

/// The renditions that the client holds: those it reported and those it was sent. Bounded: when full, the half that was
/// least recently reported or looked up is evicted.
struct HeldRenditions: Sendable {
    private struct Content: Hashable, Sendable {
        let image: ImageID
        let version: ContentVersion
    }

    private let generation: Int
    private var young: [Content: StreamRenditions] = [:]
    private var old: [Content: StreamRenditions] = [:]

    /// - Parameter limit: the most contents remembered.
    init(limit: Int = 8_000) { generation = max(1, limit / 2) }

    var count: Int { young.count + old.count }

    mutating func insert(_ renditions: StreamRenditions, of image: ImageID, _ version: ContentVersion) {
        let content = Content(image: image, version: version)
        keep(content, held(content).union(renditions))
    }

    mutating func remove(_ renditions: StreamRenditions, of image: ImageID, _ version: ContentVersion) {
        let content = Content(image: image, version: version)
        let left = held(content).subtracting(renditions)
        old[content] = nil
        young[content] = left.isEmpty ? nil : left
    }

    /// The held renditions of this content; none while its version is not known.
    mutating func renditions(of image: ImageID, _ version: ContentVersion?) -> StreamRenditions {
        guard let version else { return [] }
        let content = Content(image: image, version: version)
        let held = held(content)
        if !held.isEmpty, young[content] == nil { keep(content, held) }
        return held
    }

    private func held(_ content: Content) -> StreamRenditions { young[content] ?? old[content] ?? [] }

    private mutating func keep(_ content: Content, _ renditions: StreamRenditions) {
        guard !renditions.isEmpty else { return }
        if young.count >= generation, young[content] == nil {
            old = young
            young = [:]
        }
        old[content] = nil
        young[content] = renditions
    }
}
