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

    /// Best first.
    static func preferences(for rendition: Rendition) -> [OutputFormat] {
        rendition == .preview ? [.webp, .jpeg, .avif] : [.avif, .webp, .jpeg]
    }
}
