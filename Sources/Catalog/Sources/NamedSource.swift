/// A source with what tells it and its images apart from others.
struct NamedSource: Sendable {
    let kind: any SourceReading
    /// Its place among the sources.
    let ordinal: Int
    /// Its name in the index.
    let key: String
    /// For sources whose images are listed.
    let identity: Identity
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

    /// That nothing was found in it.
    var emptiness: CatalogState.Problem { CatalogState.Problem(source: name, reason: kind.emptiness) }
}
