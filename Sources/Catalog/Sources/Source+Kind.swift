extension Source {
    /// What reads it. Beside the command line's words, no other place tells kinds of sources apart.
    var kind: any SourceReading {
        switch self {
        case .folder(let path): FolderSource(path: path)
        case .list(let path, let format): ListSource(path: path, format: format)
        case .template(let template): TemplateSource(template: template)
        case .bucket(let address): BucketSource(address: address)
        }
    }

    /// As people know it: the path, the template, or the bucket.
    public var name: String { kind.name }
}
