import CVips
import FileHeads

/// The thumbnail that a camera put into its JPEG. When only the head of a file was read, the thumbnail serves as the
/// preview, provided that it shows the same as the image: programs that crop an image often leave the old thumbnail
/// behind.
enum EmbeddedThumbnail {
    /// Larger thumbnails cost as much as decoding the lowest frequencies of the image itself.
    private static let longestSide = 1024
    private static let maximumBytes = 256 << 10
    /// The maximum value, of 255, that counts as black in the bars that cameras add to fill 4:3; JPEG blurs their
    /// edges.
    private static let darkest = 40

    /// The upright thumbnail without its bars, with a longer side of at least `side` pixels; nil if there is no
    /// thumbnail that can be trusted.
    static func picture(of original: InspectedOriginal, atLeast side: Int, stop: RenderStop) -> Picture? {
        guard let bytes = original.exif?.thumbnail, bytes.count <= maximumBytes else { return nil }
        let (width, height) = (original.storedWidth, original.storedHeight)
        return try? bytes.withUnsafeBytes { buffer throws(DecoderFailure) in
            guard let thumbnail = try decode(buffer, stop: stop),
                let frame = Frame(of: thumbnail, showing: width, by: height),
                max(frame.width, frame.height) >= min(side, max(width, height))
            else { return nil }
            return try frame.cut(from: thumbnail, stop: stop).upright(original.orientation, stop: stop)
        }
    }

    /// The pixels as stored. The bytes are not read after this returns.
    private static func decode(_ bytes: UnsafeRawBufferPointer, stop: RenderStop) throws(DecoderFailure) -> Picture? {
        var opened: UnsafeMutablePointer<VipsImage>?
        let status = cvips_jpegload_buffer(bytes.baseAddress, bytes.count, &opened, VIPS_FAIL_ON_TRUNCATED)
        let header = try Picture.checked(status, opened)
        guard header.isPlainJPEG, max(header.width, header.height) <= longestSide else { return nil }
        return try header.inMemory(stop: stop)
    }

    /// The part of a thumbnail that shows the image.
    struct Frame: Equatable {
        var left = 0
        var top = 0
        var width: Int
        var height: Int

        func cut(from thumbnail: Picture, stop: RenderStop) throws(DecoderFailure) -> Picture {
            if width == thumbnail.width, height == thumbnail.height { return thumbnail }
            return try thumbnail.applying { handle, result in
                cvips_crop(handle, &result, Int32(left), Int32(top), Int32(width), Int32(height))
            }.inMemory(stop: stop)
        }

        /// Nil if the thumbnail has another aspect ratio than the image, and the area around the image is not black.
        init?(of thumbnail: Picture, showing width: Int, by height: Int) {
            (self.width, self.height) = (thumbnail.width, thumbnail.height)
            if CameraThumbnail.shows((width, height), whole: (self.width, self.height)) { return }
            let fittingHeight = Double(self.width) * Double(height) / Double(width)
            let fittingWidth = Double(self.height) * Double(width) / Double(height)
            if fittingHeight < Double(self.height) {
                let bar = (self.height - max(1, Int(fittingHeight))) / 2
                guard bar >= 1, thumbnail.isDark(rows: 0..<bar - 1),
                    thumbnail.isDark(rows: self.height - bar + 1..<self.height)
                else { return nil }
                top = bar
                self.height -= 2 * bar
            } else {
                let bar = (self.width - max(1, Int(fittingWidth))) / 2
                guard bar >= 1, thumbnail.isDark(columns: 0..<bar - 1),
                    thumbnail.isDark(columns: self.width - bar + 1..<self.width)
                else { return nil }
                left = bar
                self.width -= 2 * bar
            }
        }
    }

    fileprivate static func isDark(_ picture: Picture, rows: Range<Int>, columns: Range<Int>) -> Bool {
        guard picture.bytesPerBand == 1, let base = vips_image_get_data(picture.handle) else { return false }
        let bands = picture.bands
        let bytes = UnsafeRawBufferPointer(start: base, count: picture.width * picture.height * bands)
        for row in rows {
            let start = (row * picture.width + columns.lowerBound) * bands
            let line = bytes[start..<start + columns.count * bands]
            if line.contains(where: { $0 > darkest }) { return false }
        }
        return true
    }
}

extension Picture {
    /// Whether this is the header of a JPEG as cameras write them. A multi-scan file could have thousands of scans,
    /// each as much work as the whole.
    var isPlainJPEG: Bool {
        integer("interlaced") != 1 && integer("jpeg-multiscan") != 1
            && [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_B_W].contains(space)
    }

    fileprivate func isDark(rows: Range<Int>) -> Bool {
        EmbeddedThumbnail.isDark(self, rows: rows, columns: 0..<width)
    }

    fileprivate func isDark(columns: Range<Int>) -> Bool {
        EmbeddedThumbnail.isDark(self, rows: 0..<height, columns: columns)
    }
}
