import Images
import Loading
import Renditions
struct RenditionKey {
    var image: ImageID; var version: ContentVersion; var rendition: Rendition; var format: OutputFormat
}
struct LoadingStatistics { static let gauges: Set<String> = []; var byName: [String: Int] { [:] } }
extension Loader {
    func cached(_ key: RenditionKey) -> RenditionBytes? { nil }
    var statistics: LoadingStatistics { LoadingStatistics() }
}
import HTTPServer
final class FileStream: BodyStream {
    init(_ region: FileRegion) {}
    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull { .aborted }
    func ended(_ end: BodyEnd) {}
}
