import ArgumentParser
import Catalog
import Foundation
import GalleryServer
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

    @Option(
        name: .customLong("events-secret"),
        help: ArgumentHelp(
            "Let the store tell of objects that come and go, at /api/v1/events, if it knows this secret. (TESSERA_EVENTS_SECRET, which no list of processes shows; nobody may tell)",
            valueName: "secret"))
    var eventsSecret: String?

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

    /// What the store has to know to tell of its objects; nil where it may not.
    ///
    /// - Throws: `ValidationError` for what can be guessed, or cannot be sent.
    func secretOfEvents() throws -> String? {
        guard let secret = try eventsSecret ?? Environment.value("events-secret") else { return nil }
        guard Gallery.Configuration.isEventsSecret(secret) else {
            throw ValidationError(
                "--events-secret: write 16 to 256 letters and digits, without spaces; `openssl rand -hex 32` makes one."
            )
        }
        return secret
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
