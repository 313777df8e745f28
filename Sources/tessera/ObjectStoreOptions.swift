import ArgumentParser
import Catalog
import Foundation
import GalleryServer
import Origins

/// Where the buckets are, and how to access them.
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
        help: "Put the bucket in the URL's path; the default with --endpoint. (TESSERA_PATH_STYLE=1)")
    var pathStyle = false

    @Flag(
        name: .customLong("host-style"),
        help: "Put the bucket before the host name; the default without --endpoint. (TESSERA_HOST_STYLE=1)")
    var hostStyle = false

    @Option(
        help: ArgumentHelp(
            "Also store renditions in a bucket that all nodes share: s3://bucket/prefix. (TESSERA_TILES; none)",
            valueName: "bucket"))
    var tiles: String?

    @Option(
        name: .customLong("events-secret"),
        help: ArgumentHelp(
            "Let the store tell of objects that come and go, at /api/v1/events, if it knows this secret. (TESSERA_EVENTS_SECRET, which no list of processes shows; nobody may tell)",
            valueName: "secret"))
    var eventsSecret: String?

    @Flag(help: "Send unsigned requests, for public buckets. (TESSERA_ANONYMOUS=1)")
    var anonymous = false
}

extension ObjectStoreOptions {
    /// - Throws: `ValidationError` for options that exclude each other.
    func store() throws -> BucketAddress.Store {
        let isOfPath = try pathStyle || Environment.value("path-style") == 1
        let isOfHost = try hostStyle || Environment.value("host-style") == 1
        guard !(isOfPath && isOfHost) else { throw ValidationError("Give --path-style or --host-style, not both.") }
        let variables = ProcessInfo.processInfo.environment
        let common = ["AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        return BucketAddress.Store(
            endpoint: try endpoint ?? Environment.value("endpoint"),
            region: try region ?? Environment.value("region") ?? common ?? "us-east-1",
            style: isOfPath ? .path : isOfHost ? .host : nil)
    }

    /// The bucket that stores renditions; nil if there is none.
    ///
    /// - Throws: `ValidationError` if it isn't a bucket, or can't be written to.
    func tileBucket() throws -> BucketAddress? {
        guard let word = try tiles ?? Environment.value("tiles") else { return nil }
        guard word.hasPrefix(BucketAddress.scheme) else { throw ValidationError("--tiles: write s3://bucket/prefix.") }
        guard try !isAnonymous() else {
            throw ValidationError("--tiles: writing needs credentials; omit --anonymous.")
        }
        return try BucketAddress(word, in: store())
    }

    /// The secret that the store must send with its notifications; nil if notifications are not accepted.
    ///
    /// - Throws: `ValidationError` if it is easy to guess or can't be sent.
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

    /// How requests to the store of these sources and renditions are signed; nil if none of them is in a bucket.
    func signing(of sources: [Source], _ tiles: BucketAddress?) throws -> ObjectStore? {
        let address = sources.lazy.compactMap { if case .bucket(let address) = $0 { address } else { nil } }.first
        guard let address = address ?? tiles else { return nil }
        var credentials = CredentialSettings(environment: ProcessInfo.processInfo.environment)
        credentials.isAnonymous = try isAnonymous()
        return ObjectStore(endpoint: address.endpoint, region: address.region, credentials: credentials)
    }
}
