import Images

extension ClientMessage {
    /// The message with its ids translated.
    func decrypted(by ids: ImageIDCipher) -> ClientMessage {
        switch self {
        case .viewport(var viewport):
            viewport.has = viewport.has.map { $0.decrypted(by: ids) }
            return .viewport(viewport)
        case .has(let images): return .has(images.map { $0.decrypted(by: ids) })
        case .forgot(let images): return .forgot(images.map { $0.decrypted(by: ids) })
        case .received, .retry, .ping: return self
        }
    }
}

extension HeldImage {
    fileprivate func decrypted(by ids: ImageIDCipher) -> HeldImage {
        var copy = self
        copy.image = ids.decrypt(PublicImageID(rawValue: image.rawValue))
        return copy
    }
}
