import Images

/// As many URLs as a template's count. Never scanned: its images are computed.
struct TemplateSource: SourceReading {
    let template: URLTemplate

    var name: String { template.pattern }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(key: "template:" + template.pattern, series: namesakes.series(of: template))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? { nil }

    func read(_ source: NamedSource, _ context: ScanContext, into scan: SourceScan) throws -> SourceReport? { nil }

    func location(of scannedImage: ScannedImage, in ordinal: Int) -> ImageLocation {
        .remote(url: scannedImage.location)
    }
}
