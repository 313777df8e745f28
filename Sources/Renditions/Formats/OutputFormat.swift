import Images
import Synchronization

/// The encoding of a rendition. The raw value is its name in cache keys.
public enum OutputFormat: String, CaseIterable, Hashable, Sendable {
    case avif
    case webp
    case jpeg

    /// The media type of the encoded file.
    public var mediaType: String { "image/" + rawValue }

    /// Chooses the format of a rendition for a client with this `Accept` header (RFC 9110 §12.5.1).
    ///
    /// AVIF and WebP are chosen only if the header names them: many clients that send `image/*` or `*/*` cannot show
    /// them. Among the accepted formats, the one with the largest weight is chosen, and among equals the one that is
    /// best at the rendition's size. If none is accepted, JPEG is, as §12.5.1 allows.
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

    /// Best first, as measured on 37 photographs with libvips 8.14 at the qualities of `Encoding`;
    /// Benchmarks/README.md lists the bytes at equal quality:
    ///
    /// | bytes, and CPU of the encoder | JPEG | WebP | AVIF |
    /// | --- | --- | --- | --- |
    /// | preview | 760, 0.3 ms | 640, 1 ms | 620, 1.5 ms, most of it the container |
    /// | tile | 11.9 KB, 0.6 ms | 8.0 KB, 2.7 ms | 4.7 KB, 11 ms |
    /// | screen | 175 KB, 8 ms | 99 KB, 48 ms | 58 KB, 50 ms |
    ///
    /// At screen size AVIF needs another 40 to 60 MB of memory per thread. At the quality of the WebP it saves a
    /// tenth of the bytes.
    static func preferences(for rendition: Rendition) -> [OutputFormat] {
        bestFirst(for: rendition).filter { $0 != .avif || !isAVIFUnavailable.load(ordering: .relaxed) }
    }

    /// Records whether the workers lack an AVIF encoder; if so, AVIF is offered to no client.
    public static func setAVIFUnavailable(_ isUnavailable: Bool) {
        isAVIFUnavailable.store(isUnavailable, ordering: .relaxed)
    }

    private static let isAVIFUnavailable = Atomic(false)

    private static func bestFirst(for rendition: Rendition) -> [OutputFormat] {
        // The other formats cannot hold every picture, nor be written line by line.
        if rendition.hasAllPixels { return [.jpeg] }
        if rendition == .preview { return [.webp, .jpeg, .avif] }
        return rendition.isForScreens ? [.webp, .avif, .jpeg] : [.avif, .webp, .jpeg]
    }
}
