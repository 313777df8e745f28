extension ContentVersion {
    /// The version of content that a server names by a strong entity tag (RFC 9110 section 8.8.3), whether the tag came
    /// from a bucket listing or with the bytes themselves.
    ///
    /// - Parameter entityTag: The tag with its quotes.
    public init(strongEntityTag entityTag: String) {
        var digest = VersionDigest()
        digest.update("etag ".utf8)
        digest.update(entityTag.utf8)
        self = digest.version
    }
}
