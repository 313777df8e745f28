import Images

/// How a rendition is encoded. The raw value is its name in cache keys.
public enum OutputFormat: String, CaseIterable, Hashable, Sendable {
    case avif
    case webp
    case jpeg

    public var mediaType: String { "image/" + rawValue }

    /// The format for a rendition that a client with this `Accept` header (RFC 9110 §12.5.1) should get.
    ///
    /// AVIF and WebP are chosen only where they are named: many clients that say `image/*` or `*/*` cannot show them.
    /// Of the formats accepted the one with the greatest weight is taken, and among equals the one that is worth
    /// most at the rendition's size. Where nothing fits it is JPEG, as §12.5.1 allows.
    public static func negotiate(accept: String?, for rendition: Rendition = .tile) -> OutputFormat {
        guard let accept else { return .jpeg }
        let accepted = AcceptedTypes(accept)
        var best = (format: OutputFormat.jpeg, weight: 0)
        for format in preferences(for: rendition) {
            let weight =
                format == .jpeg
                ? accepted.weight(ofSubtype: format.rawValue)
                : accepted.explicitWeight(ofSubtype: format.rawValue) ?? 0
            if weight > best.weight { best = (format, weight) }
        }
        return best.format
    }

    /// Best first, as measured on 37 photographs with libvips 8.14 at the qualities of `Encoding`; Benchmarks/README.md has
    /// the bytes at equal quality:
    ///
    /// | bytes, and CPU of the encoder | JPEG | WebP | AVIF |
    /// | --- | --- | --- | --- |
    /// | preview | 760, 0.3 ms | 640, 1 ms | 620, 1.5 ms, most of it the container |
    /// | tile | 11.9 KB, 0.6 ms | 8.0 KB, 2.7 ms | 4.7 KB, 11 ms |
    /// | screen | 175 KB, 8 ms | 99 KB, 48 ms | 58 KB, 50 ms |
    ///
    /// For the screen AVIF needs another 40 to 60 MB of memory a thread. As good as the WebP it saves a tenth of the bytes.
    static func preferences(for rendition: Rendition) -> [OutputFormat] {
        switch rendition {
        case .preview: [.webp, .jpeg, .avif]
        case .step160, .tile, .step640: [.avif, .webp, .jpeg]
        case .step1280, .screen, .step2560, .original: [.webp, .avif, .jpeg]
        // The others cannot hold every picture, nor be written line by line.
        case .full, .pyramid: [.jpeg]
        }
    }
}
