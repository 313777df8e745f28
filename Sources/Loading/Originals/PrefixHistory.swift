/// Whether the first bytes of originals have contained previews, by origin. Where they have not, requesting them
/// separately costs a round trip for nothing.
struct PrefixHistory: Sendable {
    private struct Record {
        var failures = 0
        /// Whole-file fetches since the last failure.
        var skipped = 0
    }

    private var records: [Substring: Record] = [:]

    /// After this many failures in a row, only every `probeInterval`th fetch requests a prefix.
    private static let failureLimit = 3
    private static let probeInterval = 50
    /// Bounds the memory: a URL list may name arbitrarily many origins.
    private static let capacity = 1_000

    /// Whether to request the first bytes separately.
    mutating func suggestsPrefix(of url: String) -> Bool {
        guard var record = records[Self.origin(of: url)], record.failures >= Self.failureLimit else { return true }
        record.skipped = (record.skipped + 1) % Self.probeInterval
        records[Self.origin(of: url)] = record
        return record.skipped == 0
    }

    /// - Parameter hadPreview: Whether a preview could be made from the first bytes.
    mutating func note(_ url: String, hadPreview: Bool) {
        let origin = Self.origin(of: url)
        guard !hadPreview else { return records[origin] = nil }
        if records[origin] == nil, records.count >= Self.capacity { records = [:] }
        records[origin, default: Record()].failures += 1
    }

    /// Scheme, host and port, as written.
    private static func origin(of url: String) -> Substring {
        guard let scheme = url.firstRange(of: "://") else { return url[...] }
        return url.prefix(upTo: url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)
    }
}
