/// The version of how renditions are made from originals.
public enum RenditionRecipe {
    /// Raised when the same original yields other bytes than before, and these must no longer be sent. All caches then make
    /// their renditions again.
    public static let current = 2
}
