/// What tells a source and its images apart from others.
struct SourceIdentity: Sendable {
    /// Its name in the index: two runs that name the same source mean the same.
    let key: String
    /// For sources whose images are listed.
    var images = Identity()
    /// For templates, whose images are reckoned.
    var series: Series?
}

/// The names that the sources before one have.
struct Namesakes {
    private var counts: [String: Int] = [:]
    private var series: [Series] = []

    /// How many sources had this name before, this one not counted.
    mutating func count(_ name: String) -> Int {
        defer { counts[name, default: 0] += 1 }
        return counts[name, default: 0]
    }

    /// The key, and how many had it before.
    mutating func key(_ key: String) -> String { "\(key)#\(count(key))" }

    /// A series whose ids no other template's have.
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
