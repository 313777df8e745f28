import Images
import Loading
import Renditions

/// The names of a gallery's keys and channels in Redis. The prefix keeps galleries on one server apart.
struct RedisKeys: Sendable {
    /// Incremented when the format of the stored data changes, so that old and new nodes share nothing.
    private static let form = 1

    let gallery: String
    private let prefix: String

    init(gallery: String) {
        self.gallery = gallery
        prefix = "tessera:\(Self.form):\(gallery):"
    }

    /// A sorted set of the galleries on the server, scored by the last heartbeat of their nodes.
    static let galleries = Array("tessera:\(form):galleries".utf8)

    var channel: String { prefix + "news" }
    /// Exists while a node is running and connected, even if it isn't subscribed at the moment.
    func heartbeat(of node: NodeTag) -> [UInt8] { bytes("alive:\(node)") }
    /// A sorted set of the running nodes, scored by the time of their last heartbeat.
    var nodes: [UInt8] { bytes("nodes") }
    /// The channel on which a node receives requests and replies.
    func channel(of node: NodeTag) -> String { prefix + "node:\(node)" }
    var fence: [UInt8] { bytes("fence") }
    func lease(_ subject: String) -> [UInt8] { bytes("lease:" + subject) }
    func requests(_ subject: String) -> [UInt8] { bytes("wishes:" + subject) }
    func failure(_ subject: String) -> [UInt8] { bytes("failure:" + subject) }
    /// Keyed by a version, never by "whatever the origin has now".
    func rendition(_ name: SharedName) -> [UInt8] { bytes(Self.renditions + name.text) }
    /// The same key with the version left out, for scripts that look up the version on the server: the parts before
    /// and after it.
    func renditionAroundVersion(_ name: SharedName) -> (before: [UInt8], behind: [UInt8]) {
        (bytes("\(Self.renditions)\(name.image)."), Array(".\(name.rendition.rawValue).\(name.format.rawValue)".utf8))
    }
    /// Metadata of a remote original.
    func original(_ name: SharedName) -> [UInt8] { bytes("original:\(name.image)") }

    private static let renditions = "rendition:\(RenditionRecipe.current):"

    private func bytes(_ name: String) -> [UInt8] { Array((prefix + name).utf8) }
}
