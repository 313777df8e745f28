import FileHeads

/// What the properties of a HEIC or AVIF picture say about its colours. libheif passes on only a profile, and converts
/// neither the light nor the range of grey.
struct HEIFColour {
    private var description = ColourDescription()
    /// Whether the picture has no colour.
    private var isMonochrome = false

    /// - Parameter reader: Left at any position.
    init(_ reader: SourceReader) {
        guard let properties = ItemProperties(reader) else { return }
        // An image without a statement has the full range (ISO/IEC 23000-22, 7.3.6.4) unless its codec says otherwise.
        var isFullRange = true
        if let codec = properties.all("av1C").first {
            isMonochrome = codec.dropFirst(2).first.map { $0 & 0x10 != 0 } ?? false
            if let header = AV1SequenceHeader(codec) {
                isFullRange = header.isFullRange
                description = ColourDescription(primaries: header.primaries, transfer: header.transfer)
            }
        } else if let codec = properties.all("hvcC").first.flatMap(HEVCParameters.init) {
            isMonochrome = codec.isMonochrome
            isFullRange = codec.isFullRange
            description = ColourDescription(primaries: codec.primaries ?? 2, transfer: codec.transfer ?? 2)
        }
        // Three numbers of ITU-T H.273, then the range (ISO/IEC 14496-12, §12.1.5).
        if let colour = properties.all("colr").first(where: { $0.starts(with: "nclx".utf8) }), colour.count >= 11,
            let primaries = colour.dropFirst(4).first(2), let transfer = colour.dropFirst(6).first(2)
        {
            description = ColourDescription(primaries: Int(primaries), transfer: Int(transfer))
            isFullRange = colour.dropFirst(10).first.map { $0 & 0x80 != 0 } ?? true
        }
        // Content light level (ISO/IEC 14496-12, §12.1.6).
        if let peak = properties.all("clli").first?.first(2), peak > 0 { description.peakLuminance = Double(peak) }
        description.isLimitedRange = isMonochrome && !isFullRange
    }

    /// Nil if the colours are those of sRGB, or of a profile. A profile says nothing about the range.
    func description(hasProfile: Bool) -> ColourDescription? {
        var description = description
        if hasProfile { (description.primaries, description.transfer) = (.bt709, .sRGB) }
        return description.isStandard ? nil : description
    }
}
