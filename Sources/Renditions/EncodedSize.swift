/// What is believed of a picture that another process or machine has encoded.
public enum EncodedSize {
    /// Pixels of a side.
    public static let sides = 1...65_535

    /// Whether a picture of so many pixels may have so many bytes: no encoder makes more of a pixel than the pixel itself,
    /// but for its tables.
    public static func isBelievable(bytes: Int, width: Int, height: Int) -> Bool {
        sides.contains(width) && sides.contains(height) && bytes > 0 && bytes <= 4 * width * height + 65_536
    }
}
