public import Addresses
import Encodings
public import TLS

/// Where Redis is, and how to sign in: `redis://user:password@host:port/database`.
///
/// | scheme | |
/// | --- | --- |
/// | `redis` | one host, or several separated by commas, of which the master is used |
/// | `rediss` | the same with TLS; parameters `ca`, `cert` and `key` (PEM files), and `verify=no` |
/// | `redis-sentinel` | the hosts are Sentinels; the parameter `master` names the master that they watch |
/// | `rediss-sentinel` | the same with TLS, to Sentinels and servers |
/// | `unix` | the path of a socket, with the parameter `db` for the database |
///
/// The description, used in logs and errors, contains neither user nor password.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    public let endpoint: Endpoint
    /// Nil for the default user.
    public let user: String?
    public let password: String?
    public let database: Int
    /// Nil for connections without TLS.
    public let tls: TLSSettings?

    /// How the master is found.
    public enum Endpoint: Hashable, Sendable {
        /// The servers of one master and its replicas; at least one.
        case servers([Host])
        /// Sentinels that watch a master of this name, together with others; at least one.
        case sentinels([Host], master: String)
        /// The path of the server's Unix socket.
        case socket(String)
    }

    /// Where a server or Sentinel listens.
    public struct Host: Hashable, Sendable, CustomStringConvertible {
        /// A name or an address (IPv6 without brackets).
        public let name: String
        public let port: UInt16

        public var description: String { ServerURL.authority(name, port) }
    }

    public typealias Invalid = ServerURL.Invalid

    private static let form = "redis://HOST:PORT"

    /// Reads a URL. Those with one host follow the provisional registrations of the schemes `redis` and `rediss`.
    ///
    /// - Throws: ``Invalid`` that tells what is wrong.
    public init(_ text: String) throws(Invalid) {
        let url = try ServerURL(text, form: Self.form)
        guard url.user == nil || url.password != nil else { throw .credentials }
        (user, password) = (url.user, url.password)
        switch url.scheme {
        case "unix":
            tls = nil
            let parameters = try url.parameters(["db"])
            guard url.hosts == [ServerURL.Host(name: "", port: nil)],
                let path = PercentEncoding.decode(url.path.utf8), !path.isEmpty, path.utf8.count < 107
            else { throw Invalid("use unix:///PATH, with a path of at most 107 bytes") }
            endpoint = .socket("/" + path)
            database = try Self.database(parameters["db"] ?? "")
        case "redis", "rediss", "redis-sentinel", "rediss-sentinel":
            let usesTLS = url.scheme.hasPrefix("rediss")
            let usesSentinel = url.scheme.hasSuffix("-sentinel")
            let parameters = try url.parameters(
                (usesSentinel ? ["master"] : []) + (usesTLS ? ["ca", "cert", "key", "verify"] : []))
            tls = usesTLS ? try Self.tls(parameters) : nil
            guard !url.host.isEmpty else { throw .host }
            let hosts = url.hosts.map { Host(name: $0.name, port: $0.port ?? (usesSentinel ? 26379 : 6379)) }
            if usesSentinel {
                guard let master = parameters["master"] else {
                    throw Invalid("name the master that the Sentinels watch, as in ?master=mymaster")
                }
                endpoint = .sentinels(hosts, master: master)
            } else {
                endpoint = .servers(hosts)
            }
            database = try Self.database(url.path)
        default: throw Invalid("say \(Self.form)")
        }
    }

    /// Checks that the certificate and key files can be loaded.
    ///
    /// - Throws: ``TLSError``, naming the file that cannot be used.
    public func checkFiles() throws(TLSError) {
        if let tls { _ = try TLSContext(tls) }
    }

    public var description: String {
        let encrypted = tls == nil ? "redis" : "rediss"
        let path = database == 0 ? "" : "/\(database)"
        switch endpoint {
        case .servers(let hosts): return "\(encrypted)://\(Self.list(hosts))\(path)"
        case .sentinels(let hosts, let master):
            return "\(encrypted)-sentinel://\(Self.list(hosts))\(path)?master=\(master)"
        case .socket(let file): return "unix://\(file)" + (database == 0 ? "" : "?db=\(database)")
        }
    }

    private static func list(_ hosts: [Host]) -> String { hosts.map(\.description).joined(separator: ",") }

    private static func tls(_ parameters: [String: String]) throws(Invalid) -> TLSSettings {
        var settings = TLSSettings()
        settings.authorities = parameters["ca"]
        settings.certificate = parameters["cert"]
        settings.key = parameters["key"]
        guard settings.key == nil || settings.certificate != nil else { throw Invalid("key requires cert") }
        switch parameters["verify"] {
        case nil, "yes": break
        case "no":
            guard settings.authorities == nil else {
                throw Invalid("ca has no effect with verify=no; remove one of them")
            }
            settings.verifiesServer = false
        default: throw Invalid("verify must be yes or no")
        }
        return settings
    }

    private static func database(_ text: String) throws(Invalid) -> Int {
        guard !text.isEmpty else { return 0 }
        guard text.utf8.count <= 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Invalid("the database must be a number")
        }
        return number
    }
}
