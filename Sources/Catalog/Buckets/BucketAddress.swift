import Encodings

/// A bucket of an S3-compatible store, or a prefix within one, and the URLs to request it by.
public struct BucketAddress: Hashable, Sendable {
    /// Where a URL carries the bucket's name.
    public enum Style: Hashable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case host
    }

    /// Settings that all buckets of one account share.
    public struct Store: Hashable, Sendable {
        /// `http://host:port` or `https://host`, without a path; nil for Amazon's endpoint in `region`.
        public var endpoint: String?
        public var region: String
        /// Nil chooses the usual one: path style for a custom endpoint, host style for Amazon.
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
    /// Empty, or ending in a slash: a prefix is treated as a folder.
    public let prefix: String
    public let region: String
    /// Scheme, host and port of the store. All requests for the bucket go to this host, or, in host style, to the
    /// bucket's own name beneath it.
    public let endpoint: String
    public let style: Style

    /// - Parameter word: The SOURCE argument, `s3://bucket` or `s3://bucket/prefix`.
    /// - Throws: `CatalogError.badSource`, with advice on what to write instead.
    public init(_ word: String, in store: Store = Store()) throws(CatalogError) {
        func fault(_ reason: String) -> CatalogError { .badSource(word: word, reason: reason) }
        let rest = word.dropFirst(Self.scheme.count)
        let name = rest.prefix { $0 != "/" }
        guard Self.isBucketName(name) else {
            throw fault(
                "write s3://bucket or s3://bucket/prefix; a bucket's name is 3 to 63 letters, digits, . - or _.")
        }
        guard Self.isPlain(store.region) else { throw fault("--region is not a valid region name.") }
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
        // A store's wildcard certificate does not cover bucket names with dots.
        style = store.style ?? (store.endpoint == nil && !bucket.contains(".") ? .host : .path)
        if style == .host, bucket.contains("_") || endpoint.contains("[") {
            throw fault("this bucket can only be addressed with --path-style.")
        }
    }

    /// The source's name in messages and in the page.
    public var name: String { Self.scheme + bucket + (prefix.isEmpty ? "" : "/" + prefix.dropLast()) }

    /// The last component of the prefix, or the bucket's name: the top-level folder of this source when there are
    /// several.
    var shortName: String { prefix.split(separator: "/").last.map(String.init) ?? bucket }

    /// The URL that all keys beneath the prefix begin with.
    public var folder: String { url(of: []) }

    /// The URL of an object.
    ///
    /// - Parameter key: The part of the key after the prefix.
    func url(of key: [UInt8]) -> String {
        base + PercentEncoding.encode(Array(prefix.utf8) + key, keeping: PercentEncoding.isPlainInPath)
    }

    /// The URL of one page of `ListObjectsV2`. The parameters are percent-encoded and sorted, as the signature needs
    /// them.
    ///
    /// - Parameter token: The continuation token of the previous page; nil for the first page.
    func listing(after token: String? = nil) -> String {
        var query: [(String, String)] = []
        if let token { query.append(("continuation-token", token)) }
        // Keys may contain characters that XML cannot represent.
        query += [("encoding-type", "url"), ("list-type", "2"), ("max-keys", "\(Self.keysInPage)")]
        if !prefix.isEmpty { query.append(("prefix", prefix)) }
        return base + "?" + query.map { "\($0)=\(PercentEncoding.encode($1.utf8))" }.joined(separator: "&")
    }

    /// The URL that looks up one object: the first entry of a listing whose prefix is the whole key.
    ///
    /// - Parameter key: The part of the key after the prefix.
    func listing(of key: [UInt8]) -> String {
        base + "?encoding-type=url&list-type=2&max-keys=1&prefix=" + PercentEncoding.encode(Array(prefix.utf8) + key)
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
                reason: "give the store's address without a path: https://host or http://host:port.")
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
