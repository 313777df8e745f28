/// The version of how renditions are made from originals.
public enum RenditionRecipe {
    /// Raised when the same original yields other pixels than before. All caches then make their renditions again.
    public static let current = 1
}
