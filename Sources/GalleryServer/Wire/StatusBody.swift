import Catalog
import Encodings
import Metrics

/// The server's state and statistics.
struct StatusBody: JSONWritable {
    let version: String
    /// In seconds.
    let uptime: Double
    private(set) var revision: UInt64
    private(set) var total: Int
    private(set) var isScanning: Bool
    /// The view in which the page opens.
    let defaultView: View
    /// Nil if files are not indexed.
    private(set) var indexing: IndexingProgress?
    /// Nil if tiles are made only on request.
    private(set) var prefilling: TilePrefiller.Progress?
    /// The number of problems, and the texts of the first ones.
    let problems: (count: Int, first: [String])
    /// Files and objects that are not shown because of their kind.
    private(set) var unshown: UnshownCounts
    let sessions: Int
    /// The statistics of the modules that run, by member.
    let figures: [(member: StaticString, readings: [MetricReading]?)]
    /// Nil on a single node.
    let cluster: ClusterBody?
    /// Nil if no PostgreSQL is shared with other nodes.
    let database: DatabaseBody?
    /// Whether the problems, which name files, and the figures are told.
    var isForOperators = true

    /// Leaves nothing but this part of the gallery.
    mutating func restrict(revision: UInt64, total: Int) {
        self.revision = revision
        self.total = total
        isScanning = false
        indexing = nil
        prefilling = nil
        unshown = UnshownCounts()
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", isForOperators ? version : nil)
            json.member("uptime", isForOperators ? uptime : nil)
            json.member("revision", revision)
            json.member("total", total)
            json.member("scanning", isScanning)
            json.member("defaultView", defaultView.description)
            json.member("examined", indexing)
            json.member("tilesAhead", prefilling)
            json.member("notShown", UnshownBody(counts: unshown))
            guard isForOperators else { return }
            json.member("problems") { json in
                json.object { json in
                    json.member("count", problems.count)
                    json.member("first", problems.first)
                }
            }
            json.member("sessions", sessions)
            for (member, readings) in figures { json.member(member, readings.map(Figures.init)) }
            json.member("cluster", cluster)
            json.member("database", database)
        }
    }
}

/// The values of metrics by their names.
struct Figures: JSONWritable {
    let readings: [MetricReading]

    init(_ readings: [MetricReading]) { self.readings = readings }

    func write(to json: inout JSONWriter) {
        json.object { json in
            for reading in readings { json.member(named: reading.name, reading.value) }
        }
    }
}
