import Images

extension ClientMessage {
    /// The message with its ids translated.
    func opened(by ids: ImageIDCipher) -> ClientMessage {
        switch self {
        case .viewport(var viewport):
            viewport.has = viewport.has.map { $0.opened(by: ids) }
            return .viewport(viewport)
        case .has(let images): return .has(images.map { $0.opened(by: ids) })
        case .forgot(let images): return .forgot(images.map { $0.opened(by: ids) })
        case .received, .retry, .ping: return self
        }
    }
}

extension HeldImage {
    fileprivate func opened(by ids: ImageIDCipher) -> HeldImage {
        var opened = self
        opened.image = ids.open(SealedImageID(rawValue: image.rawValue))
        return opened
    }
}
