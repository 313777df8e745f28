import CVips

extension Picture {
    /// The image with a colour conversion applied, row by row as its pixels are needed.
    func converted(by conversion: ColourConversion) throws(DecoderFailure) -> Picture {
        guard bands <= 4, let made = vips_image_new() else { throw DecoderFailure("not one to four bands") }
        let result = Picture(owning: made)
        let space = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
        guard cvips_prepare_rows(made, handle, space) == 0 else { throw DecoderFailure() }
        // The image and the conversion live as long as the result, whose pixels are computed from them.
        let context = Unmanaged.passRetained(Mapping(source: self, conversion: conversion))
        let object = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self)
        g_object_set_data_full(object, "tessera-mapping", context.toOpaque()) { context in
            if let context { Unmanaged<Mapping>.fromOpaque(context).release() }
        }
        let status = vips_image_generate(
            made, vips_start_one,
            { region, sequence, _, context, _ in
                guard let region, let context, let source = sequence?.assumingMemoryBound(to: VipsRegion.self) else {
                    return -1
                }
                return Unmanaged<Mapping>.fromOpaque(context).takeUnretainedValue().compute(region, from: source)
            }, vips_stop_one, handle, context.toOpaque())
        guard status == 0 else { throw DecoderFailure() }
        return result
    }

    /// What a converted image needs.
    private final class Mapping {
        private let source: Picture
        private let conversion: ColourConversion

        init(source: Picture, conversion: ColourConversion) {
            self.source = source
            self.conversion = conversion
        }

        /// - Returns: 0, or -1 if the source's pixels cannot be computed.
        func compute(_ region: UnsafeMutablePointer<VipsRegion>, from pixels: UnsafeMutablePointer<VipsRegion>) -> Int32
        {
            var area = region.pointee.valid
            guard vips_region_prepare(pixels, &area) == 0 else { return -1 }
            let bands = source.bands
            let count = Int(area.width) * bands * source.bytesPerBand
            for row in area.top..<area.top + area.height {
                conversion.convert(
                    UnsafeRawBufferPointer(start: cvips_region_point(pixels, area.left, row), count: count),
                    bands: bands,
                    to: cvips_region_point(region, area.left, row).assumingMemoryBound(to: UInt8.self))
            }
            return 0
        }
    }
}
