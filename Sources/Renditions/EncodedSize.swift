/// Plausibility limits for a picture that another process or machine has encoded.
public enum EncodedSize {
    /// The allowed range of the width and height, in pixels.
    public static let sides = 1...65_535

    /// Whether a picture of this many pixels may have this many bytes. Apart from its tables, no encoder writes more
    /// bytes than the pixels themselves have.
    public static func isPlausible(bytes: Int, width: Int, height: Int) -> Bool {
        sides.contains(width) && sides.contains(height) && bytes > 0 && bytes <= 4 * width * height + 65_536
    }
}
