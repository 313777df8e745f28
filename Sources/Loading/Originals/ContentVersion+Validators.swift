import Images
import Origins

extension ContentVersion {
    /// The version of a fetched original: by its strong entity tag, else by its date and length. Nil when the validators are
    /// too weak to tell two contents apart; then its bytes do.
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
