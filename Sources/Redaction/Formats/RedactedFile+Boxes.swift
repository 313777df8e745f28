import FileHeads

/// HEIC and AVIF (ISO/IEC 23008-12), and JPEG XL (ISO/IEC 18181-2).
extension RedactedFile {
    /// More boxes than any program writes. A JPEG XL may consist of hundreds of partial codestreams.
    private static var maximumBoxes: Int { 4_000 }
    /// The longest description of all items, in bytes; a picture of a thousand tiles has 50 KB.
    private static var longestMeta: Int { 1 << 20 }
    /// The most extents of all items. A picture of ten thousand tiles has a tenth of them.
    private static var maximumExtents: Int { 100_000 }
    /// The most extents of items that are not images.
    private static var maximumOtherExtents: Int { 1_000 }
    /// The boxes that describe images.
    private static var imageBoxes: Set<String> {
        ["hdlr", "pitm", "iinf", "iref", "iprp", "iloc", "idat", "dinf", "grpl"]
    }

    /// The properties of items that say how they look.
    private static var visualProperties: Set<String> {
        [
            "ispe", "pasp", "pixi", "colr", "clap", "irot", "imir", "iscl", "rloc", "rref", "auxC", "lsel", "mskC",
            "clli", "mdcv", "cclv", "amve", "reve", "ndwt",  // brightness
            "hvcC", "lhvC", "oinf", "tols", "subs", "avcC", "vvcC", "vvnC", "evcC", "jpgC", "j2kH",  // codecs
            "av1C", "a1op", "a1lx", "prdi",
            "uncC", "cmpd", "cmpC", "icef", "cpat", "cloc", "splz", "sbpm", "snuc", "fpac", "disi",  // uncompressed
        ]
    }

    /// Keeps the codestream. JPEG reconstruction data (`jbrd`) is overwritten: it contains the JPEG's metadata.
    mutating func redactJXL() throws(RedactionError) {
        // A bare codestream has no metadata.
        guard try !read(0, 2).elementsEqual([0xff, 0x0a]) else { return }
        // The whole first box (§9.1).
        let signature = [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0a]
        guard try read(0, 12).elementsEqual(signature) else { throw .malformed }
        try forEachBox(in: 0..<length) { (file, box) throws(RedactionError) in
            let isVisual = ["JXL ", "ftyp", "jxll", "jxlc", "jxlp", "jxli"].contains { box.isNamed($0) }
            if !isVisual { try file.empty(box) }
        }
    }

    /// Keeps the items that are images, and allowed tags of Exif.
    mutating func redactHEIF(keeping: Redactor.Keeping) throws(RedactionError) {
        var media: [Range<Int64>] = []
        var meta: ISOBox?
        try forEachBox(in: 0..<length) { (file, box) throws(RedactionError) in
            if box.isNamed("meta") {
                guard meta == nil else { throw .malformed }
                meta = box
            } else if box.isNamed("mdat") {
                media.append(box.content)
            } else if box.isNamed("moov") {
                // The tracks of a sequence may have metadata of their own.
                throw .unsupported
            } else if !box.isNamed("ftyp") {
                try file.empty(box)
            }
        }
        guard let meta, meta.content.count > 4 else { throw .malformed }
        try redactMeta(meta, media, keeping)
    }

    /// Calls `body` with each box. Something after them that is not a box is overwritten.
    private mutating func forEachBox(
        in range: Range<Int64>, _ body: (inout Self, ISOBox) throws(RedactionError) -> Void
    ) throws(RedactionError) {
        var boxes = ISOBoxes(in: range, of: bytes, upTo: Self.maximumBoxes)
        var count = 0
        while let box = boxes.next() {
            count += 1
            try body(&self, box)
        }
        guard count < Self.maximumBoxes else { throw .tooComplex }
        // A failed read also ends the loop: throw instead of clearing what follows.
        _ = try read(boxes.position, Int(min(16, range.upperBound - boxes.position)))
        try clear(boxes.position..<range.upperBound)
    }

    /// Makes a box one that programs skip (ISO/IEC 14496-12, §8.1.2).
    private mutating func empty(_ box: ISOBox) throws(RedactionError) {
        try replace(box.start + 4..<box.start + 8, with: Array("free".utf8))
        try clear(box.content)
    }

    private mutating func redactMeta(
        _ meta: ISOBox, _ media: [Range<Int64>], _ keeping: Redactor.Keeping
    ) throws(RedactionError) {
        var kinds: ItemKinds?
        var places: ItemPlaces?
        var data: Range<Int64>?
        // Of two boxes with the same name, a program may read either.
        var names: Set<String> = []
        // Version and flags precede the boxes.
        try forEachBox(in: meta.content.dropFirst(4)) { (file, box) throws(RedactionError) in
            guard let name = String(validating: box.name, as: UTF8.self), Self.imageBoxes.contains(name) else {
                return try file.empty(box)
            }
            guard names.insert(name).inserted else { throw .malformed }
            switch name {
            case "iinf": kinds = ItemKinds(try file.table(box))
            case "iloc": places = ItemPlaces(try file.table(box))
            case "idat": data = box.content
            case "iprp": try file.redactProperties(box)
            default: break
            }
        }
        guard let kinds, let places else { throw .malformed }
        let items = try extents(of: kinds, places, media, data)
        for (range, kind) in items where kind == .exif { try redactExif(range, keeping) }
        let kept = items.filter { $0.kind == .image || $0.kind == .exif }.map(\.range)
        try clear(media + (data.map { [$0] } ?? []), except: kept)
    }

    /// The extents of all items in the order of the file. Exif that is too long or has several extents counts as other
    /// metadata, which is overwritten.
    ///
    /// - Throws: ``RedactionError/malformed`` if metadata overlaps with another item, or an item is outside of the data.
    private func extents(
        of kinds: ItemKinds, _ places: ItemPlaces, _ media: [Range<Int64>], _ data: Range<Int64>?
    ) throws(RedactionError) -> [(range: Range<Int64>, kind: ItemKinds.Kind)] {
        var items: [(range: Range<Int64>, kind: ItemKinds.Kind)] = []
        var others = 0
        let spaces = media + (data.map { [$0] } ?? [])
        for (number, kind) in kinds.items {
            guard let place = places.places[number] else { continue }
            let extents = try self.extents(of: place, in: data)
            let isReadable = extents.count == 1 && extents[0].count <= RedactedExif.longest
            if kind != .image { others += extents.count }
            guard others <= Self.maximumOtherExtents, spaces.count * extents.count <= Self.maximumExtents else {
                throw .tooComplex
            }
            guard extents.allSatisfy({ extent in spaces.contains { $0.contains(extent) } }) else { throw .malformed }
            items += extents.map { ($0, kind == .exif && !isReadable ? .otherMetadata : kind) }
            guard items.count <= Self.maximumExtents else { throw .tooComplex }
        }
        items.sort { $0.range.lowerBound < $1.range.lowerBound }
        var (end, endOfOthers): (Int64, Int64) = (0, 0)
        for (range, kind) in items {
            guard range.lowerBound >= (kind == .image ? endOfOthers : end) else { throw .malformed }
            end = max(end, range.upperBound)
            if kind != .image { endOfOthers = range.upperBound }
        }
        return items
    }

    private func table(_ box: ISOBox) throws(RedactionError) -> ArraySlice<UInt8> {
        guard box.content.count <= Self.longestMeta else { throw .tooComplex }
        return try read(box.content.lowerBound, box.content.count)
    }

    /// Keeps the visual properties (ISO/IEC 23008-12, §6.5; ISO/IEC 23001-17; AV1-ISOBMFF and AVIF),
    /// and to which items they belong.
    private mutating func redactProperties(_ properties: ISOBox) throws(RedactionError) {
        let visual = Self.visualProperties
        try forEachBox(in: properties.content) { (file, container) throws(RedactionError) in
            guard container.isNamed("ipco") else {
                if !container.isNamed("ipma") { try file.empty(container) }
                return
            }
            try file.forEachBox(in: container.content) { (file, property) throws(RedactionError) in
                let isVisual = String(validating: property.name, as: UTF8.self).map(visual.contains) ?? false
                if !isVisual { try file.empty(property) }
            }
        }
    }

    /// Where an item is in the file.
    private func extents(
        of place: ItemPlaces.Place, in data: Range<Int64>?
    ) throws(RedactionError) -> [Range<Int64>] {
        let space = place.isInData ? data : 0..<length
        return try place.extents.map { extent throws(RedactionError) in
            // A length of zero means “to the end of the file”.
            guard !extent.isEmpty else { throw .unsupported }
            guard let space, extent.upperBound <= Int64(space.count) else { throw .malformed }
            return space.lowerBound + extent.lowerBound..<space.lowerBound + extent.upperBound
        }
    }

    /// The position of the TIFF header in the block, then the block (ISO/IEC 23008-12, annex A.2.1).
    private mutating func redactExif(_ range: Range<Int64>, _ keeping: Redactor.Keeping) throws(RedactionError) {
        let item = try read(range.lowerBound, range.count)
        guard let offset = item.first(4), offset <= Int64(item.count) - 4 else { return try clear(range) }
        let exif = RedactedExif.replacement(for: item.dropFirst(4 + Int(offset)), keeping: keeping)
        // Decoders refuse an item that is no TIFF structure, so one without tags remains.
        let structure = exif.isEmpty ? RedactedExif.empty : exif
        try replace(range, with: item.count < 4 + structure.count ? [] : [0, 0, 0, 0] + structure)
    }

    /// - Parameters:
    ///   - ranges: Without overlaps.
    ///   - kept: Sorted; may overlap.
    private mutating func clear(_ ranges: [Range<Int64>], except kept: [Range<Int64>]) throws(RedactionError) {
        var kept = kept[...]
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            var position = range.lowerBound
            while let part = kept.first, part.lowerBound < range.upperBound {
                if part.lowerBound > position { try clear(position..<part.lowerBound) }
                position = max(position, part.upperBound)
                // It may reach into the next range.
                if part.upperBound > range.upperBound { break }
                kept.removeFirst()
            }
            if position < range.upperBound { try clear(position..<range.upperBound) }
        }
    }
}
