public import Images
public import Loading

/// Two tiers, the near one asked first. What is found far away is kept near, too.
public struct RenditionTiers: RenditionTier {
    private let near: any RenditionTier
    private let far: any RenditionTier

    public init(near: any RenditionTier, far: any RenditionTier) {
        self.near = near
        self.far = far
    }

    public var servesAlone: Bool { near.servesAlone || far.servesAlone }

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        near.find(name, listed: listed, on: occasion) { [near, far] rendition in
            // What another has made since the first look is kept near.
            guard rendition == nil, occasion == .first else { return found(rendition) }
            far.find(name, listed: listed, on: occasion) { rendition in
                // What is found by its origin's word alone is not found near without that word.
                if let rendition, name.version != nil {
                    near.keep(rendition, as: name, listed: listed, fence: 0) { _ in }
                }
                found(rendition)
            }
        }
    }

    /// Who waits for it looks near, and is not kept waiting by what is far away.
    public func keep(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        near.keep(rendition, as: name, listed: listed, fence: fence, done: done)
        far.keep(rendition, as: name, listed: listed, fence: fence) { _ in }
    }
}
