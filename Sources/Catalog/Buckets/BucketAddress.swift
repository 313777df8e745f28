/// A bucket of an S3-compatible store, or what lies beneath a prefix of it, and how it is asked for.
public struct BucketAddress: Hashable, Sendable {
    /// Where the bucket's name stands in a URL.
    public enum Style: Hashable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case host
    }

    /// What stores of one account have in common.
    public struct Store: Hashable, Sendable {
        /// `http://host:port` or `https://host`, without a path; nil for Amazon's own of the region.
        public var endpoint: String?
        public var region: String
        /// Nil for what fits: the path with an endpoint of one's own, the host with Amazon's.
        public var style: Style?

        public init(endpoint: String? = nil, region: String = "us-east-1", style: Style? = nil) {
            self.endpoint = endpoint
            self.region = region
            self.style = style
        }
    }

    public static let scheme = "s3://"
    static let keysInPage = 1000

    public let bucket: String
    /// Empty, or ending in a slash: a prefix is taken for a folder.
    public let prefix: String
    public let region: String
    /// Scheme, host and port of the store: nothing of the bucket is asked of any other host but that of the bucket's own
    /// name beneath it.
    public let endpoint: String
    public let style: Style

    /// - Parameter word: `s3://bucket` or `s3://bucket/prefix`.
    /// - Throws: `CatalogError.badSource`, with what to do instead.
    public init(_ word: String, in store: Store = Store()) throws(CatalogError) {
        func fault(_ reason: String) -> CatalogError { .badSource(word: word, reason: reason) }
        let rest = word.dropFirst(Self.scheme.count)
        let name = rest.prefix { $0 != "/" }
        guard Self.isBucketName(name) else {
            throw fault(
                "write s3://bucket or s3://bucket/prefix; a bucket's name is 3 to 63 letters, digits, . - or _.")
        }
        guard Self.isPlain(store.region) else { throw fault("--region is no name of a region.") }
        let prefix = String(rest.dropFirst(name.count).drop { $0 == "/" })
        guard prefix.utf8.count <= 1024 else { throw fault("the prefix is longer than 1,024 bytes.") }
        bucket = String(name)
        self.prefix = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
        region = store.region
        if let named = store.endpoint {
            endpoint = try Self.checked(named)
        } else {
            endpoint = "https://s3.\(region).amazonaws.com"
        }
        // No certificate of the store's is for a name with further dots in it.
        style = store.style ?? (store.endpoint == nil && !bucket.contains(".") ? .host : .path)
        if style == .host, bucket.contains("_") || endpoint.contains("[") {
            throw fault("this bucket can be asked for by --path-style only.")
        }
    }

    /// As people know it.
    public var name: String { Self.scheme + bucket + (prefix.isEmpty ? "" : "/" + prefix.dropLast()) }

    /// The last part of it: what its folders stand beneath where there are several sources.
    var shortName: String { prefix.split(separator: "/").last.map(String.init) ?? bucket }

    /// The URL of what stands before each key beneath the prefix.
    public var folder: String { url(of: []) }

    /// Where an object is fetched from.
    ///
    /// - Parameter key: what follows the prefix.
    func url(of key: [UInt8]) -> String {
        base + URLCoding.encoded(Array(prefix.utf8) + key, keepsSlashes: true)
    }

    /// The question for a page of `ListObjectsV2`: parameters in their order and encoded, as they are signed.
    ///
    /// - Parameter token: what the page before gave; nil for the first.
    func listing(after token: String? = nil) -> String {
        var query: [(String, String)] = []
        if let token { query.append(("continuation-token", token)) }
        // Keys may have letters that no XML can.
        query += [("encoding-type", "url"), ("list-type", "2"), ("max-keys", "\(Self.keysInPage)")]
        if !prefix.isEmpty { query.append(("prefix", prefix)) }
        return base + "?" + query.map { "\($0)=\(URLCoding.encoded($1.utf8))" }.joined(separator: "&")
    }

    /// The question for one object: what is listed first of all that begins with its whole key.
    ///
    /// - Parameter key: what follows the prefix.
    func listing(of key: [UInt8]) -> String {
        base + "?encoding-type=url&list-type=2&max-keys=1&prefix=" + URLCoding.encoded(Array(prefix.utf8) + key)
    }

    private var base: String {
        switch style {
        case .path: "\(endpoint)/\(bucket)/"
        case .host: endpoint.replacing("://", with: "://\(bucket).", maxReplacements: 1) + "/"
        }
    }

    private static func checked(_ endpoint: String) throws(CatalogError) -> String {
        var endpoint = endpoint
        if endpoint.hasSuffix("/") { endpoint.removeLast() }
        do throws(WebAddress.Fault) {
            let url = try WebAddress.parse(endpoint.utf8)
            let host = url.drop { $0 != ":" }.dropFirst(3)
            guard !host.contains(where: { "/?#".contains($0) }) else { throw WebAddress.Fault(reason: "no path") }
            return url.lowercased()
        } catch {
            throw .badSource(
                word: "--endpoint \(endpoint)",
                reason: "write the store's address without a path, as https://host or http://host:port.")
        }
    }

    private static func isBucketName(_ name: Substring) -> Bool {
        (3...63).contains(name.utf8.count) && isPlain(String(name)) && name.first != "." && !name.contains("..")
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
            }
    }
}
