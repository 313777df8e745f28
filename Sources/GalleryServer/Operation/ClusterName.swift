import Catalog
import Images

/// What all nodes of a gallery call it among each other: made of its sources, each by what the ids of its images are made
/// of, so that a folder may be mounted elsewhere on another node.
enum ClusterName {
    static func of(_ sources: [Source]) -> String {
        var state = SplitMix.start
        for source in sources {
            for byte in word(source).utf8 { state = SplitMix.mixed(state, with: UInt64(byte)) }
            state = SplitMix.mixed(state, with: 256)
        }
        return ContentVersion(rawValue: state).description
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
