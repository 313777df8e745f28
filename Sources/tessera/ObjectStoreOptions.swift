import ArgumentParser
import Catalog
import Foundation
import Origins

/// Where buckets are, and how they are asked for.
struct ObjectStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The S3-compatible store of s3:// sources: https://host, http://host:port. (TESSERA_ENDPOINT; Amazon's of the region)",
            valueName: "url"))
    var endpoint: String?

    @Option(
        help: ArgumentHelp(
            "The store's region. (TESSERA_REGION, AWS_REGION, AWS_DEFAULT_REGION; us-east-1)", valueName: "name"))
    var region: String?

    @Flag(
        name: .customLong("path-style"),
        help: "Write the bucket into the URL's path; so it is with an --endpoint. (TESSERA_PATH_STYLE=1)")
    var pathStyle = false

    @Flag(
        name: .customLong("host-style"),
        help: "Write the bucket before the host's name; so it is without an --endpoint. (TESSERA_HOST_STYLE=1)")
    var hostStyle = false

    @Option(
        help: ArgumentHelp(
            "Keep renditions in the store, too, where every node finds them: s3://bucket/prefix. (TESSERA_TILES; on this machine alone)",
            valueName: "bucket"))
    var tiles: String?

    @Flag(help: "Ask the store without credentials, for buckets that anybody may read. (TESSERA_ANONYMOUS=1)")
    var anonymous = false
}

extension ObjectStoreOptions {
    /// - Throws: `ValidationError` for options that cannot both be.
    func store() throws -> BucketAddress.Store {
        let isOfPath = try pathStyle || Environment.value("path-style") == 1
        let isOfHost = try hostStyle || Environment.value("host-style") == 1
        guard !(isOfPath && isOfHost) else { throw ValidationError("Say --path-style or --host-style, not both.") }
        let variables = ProcessInfo.processInfo.environment
        let common = ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        return BucketAddress.Store(
            endpoint: try endpoint ?? Environment.value("endpoint"),
            region: try region ?? Environment.value("region") ?? common ?? "us-east-1",
            style: isOfPath ? .path : isOfHost ? .host : nil)
    }

    /// Where renditions are kept in the store; nil for nowhere.
    ///
    /// - Throws: `ValidationError` for what is no bucket, or cannot be written to.
    func tileBucket() throws -> BucketAddress? {
        guard let word = try tiles ?? Environment.value("tiles") else { return nil }
        guard word.hasPrefix(BucketAddress.scheme) else { throw ValidationError("--tiles: write s3://bucket/prefix.") }
        guard try !isAnonymous() else {
            throw ValidationError("--tiles: what is written needs credentials; leave --anonymous out.")
        }
        return try BucketAddress(word, in: store())
    }

    private func isAnonymous() throws -> Bool { try anonymous || Environment.value("anonymous") == 1 }

    /// How requests to the store of these sources, and of the renditions, are signed; nil where nothing is in a bucket.
    func signing(of sources: [Source], _ tiles: BucketAddress?) throws -> ObjectStore? {
        let address = sources.lazy.compactMap { if case .bucket(let address) = $0 { address } else { nil } }.first
        guard let address = address ?? tiles else { return nil }
        var credentials = CredentialSettings(environment: ProcessInfo.processInfo.environment)
        credentials.isAnonymous = try isAnonymous()
        return ObjectStore(endpoint: address.endpoint, region: address.region, credentials: credentials)
    }
}
