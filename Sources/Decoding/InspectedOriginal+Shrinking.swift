import CVips
import Images

extension InspectedOriginal {
    /// The image, as stored, with its colours treated, and shrunk to a longer side of at most `side` pixels. A vector
    /// drawing has no size in pixels, so it is drawn at that size. The pixels are decoded when they are read.
    func shrunk(
        to side: Int, _ colours: ColourTreatment, failingOn faults: String, stop: RenderStop
    ) throws(DecoderFailure) -> Picture {
        switch colours {
        case .none: return try shrunk(to: side, nil, VIPS_INTENT_RELATIVE, faults, stop)
        case .profile(let intent): return try shrunk(to: side, Self.profile, intent.inLibrary, faults, stop)
        case .inkProfile(let intent):
            let picture = try opened(for: side, faults, stop)
            return try picture.applying { cvips_icc_transform($0, &$1, Self.profile, intent.inLibrary) }
                .applying { cvips_thumbnail_image($0, &$1, Int32(side)) }
        case .description(let description):
            let picture = try opened(for: side, faults, stop)
            guard let conversion = ColourConversion(from: description, bytesPerBand: picture.bytesPerBand) else {
                return try shrunk(to: side, nil, VIPS_INTENT_RELATIVE, faults, stop)
            }
            // All of the bits are still there, which a picture for bright displays needs.
            return try picture.converted(by: conversion).applying { cvips_thumbnail_image($0, &$1, Int32(side)) }
        }
    }

    /// libvips' own sRGB.
    private static let profile = "srgb"

    /// Decodes no more than needed, and converts colours last.
    private func shrunk(
        to side: Int, _ profile: String?, _ intent: VipsIntent, _ faults: String, _ stop: RenderStop
    ) throws(DecoderFailure) -> Picture {
        if let whole = try pixelSource.open(source, side: side, failingOn: faults, stop: stop) {
            return try whole.applying { cvips_thumbnail_opened($0, &$1, Int32(side), profile, intent) }
        }
        let size = kind == .svg ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN
        // libvips otherwise gives up a JPEG after a hundred warnings of libjpeg.
        let options = kind == .jpeg ? "[fail_on=\(faults),unlimited=true]" : "[fail_on=\(faults)]"
        var made: UnsafeMutablePointer<VipsImage>?
        let status = cvips_thumbnail_source(
            source.handle, &made, Int32(side), size, options, profile, intent)
        return try Picture.checked(status, made)
    }

    /// The image in its own colours. A JPEG that is to be much smaller is opened at a fraction of its size, with a
    /// factor of two left for averaging.
    private func opened(for side: Int, _ faults: String, _ stop: RenderStop) throws(DecoderFailure) -> Picture {
        if let whole = try pixelSource.open(source, side: side, failingOn: faults, stop: stop) { return whole }
        let faults =
            switch faults {
            case "none": VIPS_FAIL_ON_NONE
            case "warning": VIPS_FAIL_ON_WARNING
            default: VIPS_FAIL_ON_TRUNCATED
            }
        let reduction = max(storedWidth, storedHeight) / max(1, side)
        let shrink = [8, 4, 2].first { reduction >= 2 * $0 } ?? 1
        let opened =
            kind == .jpeg
            ? cvips_jpeg_open(source.handle, faults, Int32(shrink)) : cvips_image_open(source.handle, faults)
        guard let opened else { throw DecoderFailure() }
        return Picture(owning: opened)
    }
}
