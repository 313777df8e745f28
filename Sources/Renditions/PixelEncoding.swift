/// Encodes pixels as files.
public protocol PixelEncoding: Sendable {
    /// Starts to encode, and returns at once. Callable from any thread.
    ///
    /// - Parameters:
    ///   - pixels: Rows from the top, eight bits each of red, green and blue per pixel.
    ///   - quality: 1 to 100, on the format's own scale.
    ///   - deliver: Called exactly once, on a thread that it must not block.
    func encode(
        _ pixels: [UInt8], width: Int, height: Int, as format: OutputFormat, quality: Int,
        deliver: @escaping @Sendable (Result<[UInt8], RenderError>) -> Void)
}
