import Images
import Loading
import Renditions

/// How what a gallery shares is called on the server. Two galleries on one server never meet.
struct Keys: Sendable {
    /// Raised when what is kept under the keys changes its form: old and new nodes then share nothing.
    private static let form = 1

    private let prefix: String

    init(gallery: String) { prefix = "tessera:\(Self.form):\(gallery):" }

    var channel: String { prefix + "news" }
    /// Stands there for as long as a node runs and has a connection, whether or not it listens at the moment.
    func life(of node: NodeTag) -> [UInt8] { bytes("alive:\(node)") }
    /// All nodes that run, by when they said so last.
    var nodes: [UInt8] { bytes("nodes") }
    /// Where one node is asked and answered.
    func channel(of node: NodeTag) -> String { prefix + "node:\(node)" }
    var fence: [UInt8] { bytes("fence") }
    func lease(_ subject: String) -> [UInt8] { bytes("lease:" + subject) }
    func wishes(_ subject: String) -> [UInt8] { bytes("wishes:" + subject) }
    func failure(_ subject: String) -> [UInt8] { bytes("failure:" + subject) }
    /// Under a content's own name, never under that of whatever its origin has.
    func rendition(_ name: SharedName) -> [UInt8] { bytes("rendition:" + name.text) }
    /// The same for a content that only the server knows: what stands before its version, and what behind.
    func renditionAroundVersion(_ name: SharedName) -> (before: [UInt8], behind: [UInt8]) {
        (bytes("rendition:\(name.image)."), Array(".\(name.rendition.rawValue).\(name.format.rawValue)".utf8))
    }
    /// What is known of a remote original.
    func original(_ name: SharedName) -> [UInt8] { bytes("original:\(name.image)") }

    private func bytes(_ name: String) -> [UInt8] { Array((prefix + name).utf8) }
}
