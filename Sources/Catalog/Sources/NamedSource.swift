/// A source with everything that distinguishes it and its images from others.
struct NamedSource: Sendable {
    let kind: any SourceReading
    /// Its position among the sources, from 0.
    let ordinal: Int
    /// Its key in the index.
    let key: String
    /// Derives image ids, for sources with a listing.
    let identity: ImageIDGenerator
    /// For templates.
    let series: Series?

    var name: String { kind.name }

    static func named(_ sources: [Source]) -> [NamedSource] {
        var namesakes = Namesakes()
        return sources.enumerated().map { ordinal, source in
            let kind = source.kind
            let identity = kind.identity(among: &namesakes)
            return NamedSource(
                kind: kind, ordinal: ordinal, key: identity.key, identity: identity.images, series: identity.series)
        }
    }

    /// The problem that the source contains no images.
    var emptyProblem: CatalogState.Problem { CatalogState.Problem(source: name, reason: kind.emptyMessage) }
}
