import Images

/// As many URLs as a template's count. Nothing of it is ever read: its images are reckoned.
struct TemplateSource: SourceReading {
    let template: URLTemplate

    var name: String { template.pattern }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(key: "template:" + template.pattern, series: namesakes.series(of: template))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? { nil }

    func read(_ source: NamedSource, _ visit: SourceVisit, into scan: SourceScan) throws -> SourceReport? { nil }

    func place(of sighting: Sighting, in ordinal: Int) -> ImageLocation { .remote(url: sighting.location) }
}
