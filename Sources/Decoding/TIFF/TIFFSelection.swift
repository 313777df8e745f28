/// Which image of a TIFF is the picture, and which are smaller versions of it.
struct TIFFSelection: Equatable {
    let main: TIFFImage
    /// Smaller versions, the smallest first.
    let levels: [TIFFImage]
    /// The number of pages that people would count.
    let pages: Int

    /// Nil if there is no image.
    init?(_ images: TIFFImages) {
        let pages = images.all.filter { if case .page = $0.place { true } else { false } }
        let parts = images.all.filter { if case .part = $0.place { true } else { false } }
        // Many programs write a thumbnail as the first page.
        let whole = { (image: TIFFImage) in !image.isReduced && !image.isMask }
        let largest = { (images: [TIFFImage]) in images.max { $0.longestSide < $1.longestSide } }
        guard let main = pages.first(where: whole) ?? largest(parts.filter(whole)) ?? largest(pages) else { return nil }
        self.main = main

        let marked = images.all.filter { $0.isReduced && Self.belongs($0.place, to: main.place) }
        let unmarked = Self.isPyramid(pages) ? Array(pages.dropFirst()) : []
        var offsets: Set<UInt64> = []
        let levels = (marked + unmarked).filter { $0.isSmallerVersion(of: main) && offsets.insert($0.offset).inserted }
        self.levels = levels.sorted { $0.longestSide < $1.longestSide }
        self.pages = unmarked.isEmpty ? max(1, pages.count(where: whole)) : 1
    }

    /// The smallest version with at least this many pixels on its longer side.
    func image(ofLongestSide side: Int) -> TIFFImage { levels.first { $0.longestSide >= side } ?? main }

    /// Whether a smaller version at a place may be that of the main image: it is a page of its own, or a part of the
    /// same page.
    private static func belongs(_ place: TIFFImage.Place, to main: TIFFImage.Place) -> Bool {
        switch (place, main) {
        case (.page, _): true
        case (.part(_, let page), .page(let mainPage)), (.part(_, let page), .part(_, let mainPage)): page == mainPage
        }
    }

    /// Whether pages that are not marked as smaller versions are: from three on, each half as large as the one before.
    private static func isPyramid(_ pages: [TIFFImage]) -> Bool {
        guard pages.count >= 3 else { return false }
        return zip(pages, pages.dropFirst()).allSatisfy { larger, smaller in
            !smaller.isMask && abs(larger.width - 2 * smaller.width) <= 2
                && abs(larger.height - 2 * smaller.height) <= 2
        }
    }
}

extension TIFFImage {
    /// Whether this may stand in for another image at smaller sizes: it has the same aspect ratio, to a pixel, and its
    /// samples mean the same.
    func isSmallerVersion(of other: TIFFImage) -> Bool {
        guard offset != other.offset, !isMask, longestSide < other.longestSide, encoding == other.encoding else {
            return false
        }
        let (fitting, side) =
            other.width >= other.height
            ? (Double(width) * Double(other.height) / Double(other.width), height)
            : (Double(height) * Double(other.width) / Double(other.height), width)
        return abs(fitting - Double(side)) <= 1
    }
}
