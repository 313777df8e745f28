/// Makes files of pixels.
public protocol PixelEncoding: Sendable {
    /// Returns soon; any thread.
    ///
    /// - Parameters:
    ///   - pixels: Rows from the top, red, green and blue, eight bits each.
    ///   - quality: 1 to 100, on the format's own scale.
    ///   - deliver: Called exactly once, on a thread that it must not block.
    func encode(
        _ pixels: [UInt8], width: Int, height: Int, as format: OutputFormat, quality: Int,
        deliver: @escaping @Sendable (Result<[UInt8], RenderError>) -> Void)
}
