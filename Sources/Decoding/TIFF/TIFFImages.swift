/// All images in a TIFF: the pages in its chain of directories (TIFF 6.0 §2), each followed by those that belong to it
/// (SubIFDs, TIFF Technical Note 1). libvips reads every directory completely before it reports the number of pages,
/// with a cost that grows quadratically.
struct TIFFImages {
    /// In the order of the file.
    private(set) var all: [TIFFImage] = []
    /// The number of directories in the chain, at most one more than the limit. Counting stops at malformed data; a
    /// cyclic chain exceeds any limit.
    private(set) var pages = 0
    /// Whether one of the images consists of what a sensor saw, before it was developed into a picture.
    private(set) var hasSensorData = false

    /// More parts than any page has levels.
    private static let maximumParts = 32
    /// How many entries all directories may have together: they can overlap, so that few bytes make many.
    private static let maximumEntries = 500_000

    init(in reader: SourceReader, upTo limit: Int) {
        guard let file = TIFFReader(head: reader.head, read: { reader.slice(at: $0, count: $1) }) else { return }
        var next = file.first
        var entriesLeft = Self.maximumEntries
        while next != 0, pages <= limit, let directory = file.directory(at: next) {
            take(directory, at: next, place: .page(pages))
            entriesLeft -= directory.values.count + 1
            for (part, offset) in (directory.values[330] ?? []).prefix(Self.maximumParts).enumerated() {
                guard entriesLeft > 0, let directory = file.directory(at: offset) else { continue }
                take(directory, at: offset, place: .part(part, ofPage: pages))
                entriesLeft -= directory.values.count + 1
            }
            guard entriesLeft > 0 else {
                pages = limit + 1
                return
            }
            pages += 1
            next = directory.next
        }
    }

    private mutating func take(_ directory: TIFFReader.Directory, at offset: UInt64, place: TIFFImage.Place) {
        if let image = TIFFImage(directory, at: offset, place: place) { all.append(image) }
        if RawPhoto.isSensorData(directory) { hasSensorData = true }
    }
}
