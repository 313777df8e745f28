import CVips

/// The range of a TIFF's samples. libvips takes any grey for one from 0 to 255; but floats range from 0 to 1 (TIFF
/// Technical Note 3, and the practice of editors), and whole numbers over all values of their type.
enum TIFFSamples {
    /// The picture in eight bits per sample, if its samples are grey and have neither 8 nor 16 bits.
    static func inBytes(_ picture: Picture) throws(DecoderFailure) -> Picture {
        guard picture.space == VIPS_INTERPRETATION_B_W || picture.space == VIPS_INTERPRETATION_MULTIBAND,
            picture.bands <= 2
        else { return try picture.wholeNumbers() }
        return switch vips_image_get_format(picture.handle) {
        case VIPS_FORMAT_FLOAT, VIPS_FORMAT_DOUBLE: try picture.bytes(times: 255)
        default: try picture.wholeNumbers()
        }
    }
}

extension Picture {
    /// Whole numbers of 32 bits as bytes; everything else as it is.
    fileprivate func wholeNumbers() throws(DecoderFailure) -> Picture {
        switch vips_image_get_format(handle) {
        case VIPS_FORMAT_UINT: try bytes(times: 255 / Double(UInt32.max))
        case VIPS_FORMAT_INT: try bytes(times: 255 / Double(Int32.max))
        default: self
        }
    }

    /// Each sample multiplied and rounded, as a byte.
    fileprivate func bytes(times factor: Double) throws(DecoderFailure) -> Picture {
        let space = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
        return try applying { cvips_scale_to_bytes($0, &$1, factor) }.applying { cvips_declare($0, &$1, space) }
    }
}
