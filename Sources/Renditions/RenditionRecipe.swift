/// The version of how renditions are made from originals.
public enum RenditionRecipe {
    /// Increase when the same original yields different bytes and the old ones must no longer be sent. All caches then make
    /// their renditions again.
    public static let current = 2
}
