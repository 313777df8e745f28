/// What distinguishes a source and its images from others.
struct SourceIdentity: Sendable {
    /// Its key in the index; equal in two runs that name the same source.
    let key: String
    /// Derives image ids, for sources with a listing.
    var images = ImageIDGenerator()
    /// For templates, whose images are computed.
    var series: Series?
}

/// Counts the names used by earlier sources.
struct Namesakes {
    private var counts: [String: Int] = [:]
    private var series: [Series] = []

    /// The number of earlier sources with this name.
    mutating func count(_ name: String) -> Int {
        defer { counts[name, default: 0] += 1 }
        return counts[name, default: 0]
    }

    /// The key with a number that makes it unique.
    mutating func key(_ key: String) -> String { "\(key)#\(count(key))" }

    /// A series that shares no ids with other templates.
    mutating func series(of template: URLTemplate) -> Series {
        var attempt = 0
        var own = Series(template, attempt: attempt)
        while series.contains(where: own.collides) {
            attempt += 1
            own = Series(template, attempt: attempt)
        }
        series.append(own)
        return own
    }
}
