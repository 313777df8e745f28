import Glibc

/// What is remembered of one source between its readings.
final class SourceRecord: @unchecked Sendable {
    // Sendable because it is touched on the scanning queue alone.

    var watch: FolderWatch?
    var unfinished: UnfinishedFiles

    init(_ configuration: Catalog.Configuration) {
        unfinished = UnfinishedFiles(settling: configuration.settling, patience: configuration.patience)
    }
}
