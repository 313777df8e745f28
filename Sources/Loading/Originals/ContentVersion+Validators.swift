import Images
import Origins

extension ContentVersion {
    /// The version of a fetched original, from its strong entity tag or else from its date and length. Nil when the
    /// validators are too weak to tell two contents apart; the version is then a digest of the bytes.
    init?(_ validators: Validators, length: Int64?) {
        if let tag = validators.strongEntityTag {
            self.init(strongEntityTag: tag)
            return
        }
        guard let date = validators.lastModified, let length else { return nil }
        var digest = VersionDigest()
        digest.update("date \(length) ".utf8)
        digest.update(date.utf8)
        self = digest.version
    }
}
