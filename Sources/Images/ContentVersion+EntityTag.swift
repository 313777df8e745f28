extension ContentVersion {
    /// The version of what a server names by a strong entity tag (RFC 9110 section 8.8.3), however it came to be told: by the
    /// listing of a bucket or with the bytes themselves.
    ///
    /// - Parameter entityTag: with its quotes.
    public init(strongEntityTag entityTag: String) {
        var digest = VersionDigest()
        digest.update("etag ".utf8)
        digest.update(entityTag.utf8)
        self = digest.version
    }
}
