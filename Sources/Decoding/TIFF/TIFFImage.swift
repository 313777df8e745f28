/// One image in a TIFF, as its directory describes it.
struct TIFFImage: Equatable {
    /// Where a decoder finds it: the number of a page, or of an image that belongs to a page (its SubIFDs).
    enum Place: Equatable {
        case page(Int)
        case part(Int, ofPage: Int)
    }

    let place: Place
    /// The offset of the directory.
    let offset: UInt64
    /// In pixels, as stored.
    let width: Int
    /// In pixels, as stored.
    let height: Int
    /// Whether it is a smaller version of another image.
    let isReduced: Bool
    /// Whether it is a transparency mask for another image.
    let isMask: Bool
    /// 1 to 8, as in EXIF.
    let orientation: Int
    /// What makes it decoded, and its colours understood, in the same way as another image.
    let encoding: Encoding

    struct Encoding: Equatable {
        let photometric: UInt64?
        let bits: UInt64
        let samples: UInt64
        let sampleFormat: UInt64
        let hasProfile: Bool
    }

    private let compression: UInt64

    /// The longer side in pixels.
    var longestSide: Int { max(width, height) }

    /// Whether libvips would take its brightness and colour differences for red, green and blue, or cannot decode it: YCbCr
    /// that is not in a JPEG of the present kind, and JPEG of the kind that TIFF 6.0 §22 had defined at first.
    var needsLibTIFF: Bool {
        let (oldJPEG, jpeg): (UInt64, UInt64) = (6, 7)
        return compression == oldJPEG || encoding.photometric == 6 && compression != jpeg
    }

    /// Nil if the directory describes no pixels.
    init?(_ directory: TIFFReader.Directory, at offset: UInt64, place: Place) {
        func value(_ tag: UInt16) -> UInt64? { directory.values[tag]?.first }
        guard let width = value(256), let height = value(257), 1...10_000_000 ~= width, 1...10_000_000 ~= height else {
            return nil
        }
        self.place = place
        self.offset = offset
        self.width = Int(width)
        self.height = Int(height)
        // NewSubfileType, and the SubfileType that it replaced.
        isReduced = value(254).map { $0 & 1 != 0 } ?? (value(255) == 2)
        isMask = value(254).map { $0 & 4 != 0 } ?? false
        orientation = value(274).flatMap { 1...8 ~= $0 ? Int($0) : nil } ?? 1
        compression = value(259) ?? 1
        encoding = Encoding(
            photometric: value(262), bits: value(258) ?? 1, samples: value(277) ?? 1, sampleFormat: value(339) ?? 1,
            hasProfile: directory.values[34_675] != nil)
    }

    /// The options with which libvips' loader opens it.
    var loaderOptions: String {
        switch place {
        case .page(let page): "page=\(page)"
        case .part(let part, let page): "page=\(page),subifd=\(part)"
        }
    }
}
