import Catalog
import Images

/// The gallery's name among its nodes. It is derived from the sources, and each source counts only by what its image
/// ids are derived from. So another node may mount a folder elsewhere.
enum ClusterName {
    static func of(_ sources: [Source]) -> String {
        var state = SplitMix.start
        for source in sources {
            for byte in word(source).utf8 { state = SplitMix.mixed(state, with: UInt64(byte)) }
            state = SplitMix.mixed(state, with: 256)
        }
        return ContentVersion(rawValue: state).description
    }

    /// The same for SOURCE arguments.
    ///
    /// - Throws: `CatalogError.badSource`.
    static func of(arguments: [String]) throws(CatalogError) -> String {
        // The number of a template's images, and a bucket's store, do not count.
        of(try Source.parse(arguments, count: 1, store: BucketAddress.Store(style: .path)))
    }

    private static func word(_ source: Source) -> String {
        switch source {
        case .folder(let path): "folder " + lastPart(path)
        case .list(let path, _): "list " + lastPart(path)
        case .template(let template): "template " + template.pattern
        case .bucket(let address): "bucket \(address.bucket)/\(address.prefix)"
        }
    }

    private static func lastPart(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
}
