public import Images
public import Loading

/// Two tiers, of which the near one is asked first. A hit in the far tier is copied to the near one.
public struct RenditionTiers: RenditionTier {
    private let near: any RenditionTier
    private let far: any RenditionTier

    /// - Parameter near: The tier that is asked first, and that receives copies of hits in `far`.
    public init(near: any RenditionTier, far: any RenditionTier) {
        self.near = near
        self.far = far
    }

    /// Whether either tier works without other nodes.
    public var servesSingleNode: Bool { near.servesSingleNode || far.servesSingleNode }

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        near.find(name, listed: listed, on: occasion) { [near, far] rendition in
            // A rendition made since the first lookup is in the near tier.
            guard rendition == nil, occasion == .first else { return found(rendition) }
            far.find(name, listed: listed, on: occasion) { rendition in
                // Without a version, the near tier could find it only with the original's metadata, which is not at
                // hand.
                if let rendition, name.version != nil {
                    near.store(rendition, as: name, listed: listed, fence: 0) { _ in }
                }
                found(rendition)
            }
        }
    }

    /// Completes when the near tier has it, since that is where waiting nodes look; the far tier does not delay them.
    public func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        near.store(rendition, as: name, listed: listed, fence: fence, done: done)
        far.store(rendition, as: name, listed: listed, fence: fence) { _ in }
    }
}
