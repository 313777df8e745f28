extension Source {
    /// The implementation of this kind of source. Apart from parsing the command line, nothing else distinguishes kinds
    /// of sources.
    var kind: any SourceReading {
        switch self {
        case .folder(let path): FolderSource(path: path)
        case .list(let path, let format): ListSource(path: path, format: format)
        case .template(let template): TemplateSource(template: template)
        case .bucket(let address): BucketSource(address: address)
        }
    }

    /// The display name: the path, the template, or the bucket.
    public var name: String { kind.name }
}
