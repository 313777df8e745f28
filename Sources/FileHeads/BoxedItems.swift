/// What the items of a HEIC or AVIF are (item information box, ISO/IEC 14496-12, §8.11.6), as far as it is well-formed.
package struct ItemKinds {
    package enum Kind: Hashable, Sendable {
        case exif
        case xmp
        /// Something else that is not known to be an image.
        case otherMetadata
        /// An image, or a part of one.
        case image
    }

    /// The types of images that are coded, and of those that are derived from them (ISO/IEC 23008-12, §6.6 and annexes B to
    /// L; ISO/IEC 23001-17; AV1 Image File Format, §2). A JPEG is not among them: it can have metadata of its own.
    private static let imageTypes = Set(
        [
            "hvc1", "hvt1", "lhv1", "av01", "avc1", "avc2", "vvc1", "evc1", "j2k1", "unci", "mski", "grid", "iovl",
            "iden", "tmap",
        ].map { Array($0.utf8) })

    /// By item number, in the order of the box.
    package private(set) var items: [(number: Int64, kind: Kind)] = []

    private static let xmpType = Array("application/rdf+xml".utf8)

    package init(_ box: ArraySlice<UInt8>) {
        var rest = box.dropFirst(box.first == 0 ? 6 : 8)
        while let length = rest.first(4), length >= 8, length <= Int64(rest.count) {
            take(rest.prefix(Int(length)).dropFirst(8))
            rest = rest.dropFirst(Int(length))
        }
    }

    /// The first item of a kind.
    package func first(_ kind: Kind) -> Int64? { items.first { $0.kind == kind }?.number }

    /// An item's entry. Versions before 2 have no types.
    private mutating func take(_ entry: ArraySlice<UInt8>) {
        guard let version = entry.first, 2...3 ~= version else { return }
        let width = version == 2 ? 2 : 4
        guard let number = entry.dropFirst(4).first(width) else { return }
        let type = entry.dropFirst(4 + width + 2).prefix(4)
        let kind: Kind =
            if type.elementsEqual("Exif".utf8) {
                .exif
            } else if type.elementsEqual("mime".utf8) {
                Self.mediaType(of: entry.dropFirst(4 + width + 2 + 4)).elementsEqual(Self.xmpType)
                    ? .xmp : .otherMetadata
            } else {
                Self.imageTypes.contains(Array(type)) ? .image : .otherMetadata
            }
        items.append((number, kind))
    }

    /// The item's name, then its media type; both end with a zero.
    private static func mediaType(of texts: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        texts.drop { $0 != 0 }.dropFirst().prefix { $0 != 0 }
    }
}

/// Where the items of a HEIC or AVIF are (item location box, ISO/IEC 14496-12, §8.11.3), as far as it is well-formed.
package struct ItemPlaces {
    package struct Place {
        /// Whether the extents are in the item data box, rather than in the file.
        package var isInData: Bool
        /// An empty one reaches to the end.
        package var extents: [Range<Int64>]
    }

    package private(set) var places: [Int64: Place] = [:]
    /// More extents than any program writes for an item.
    private static let maximumExtents = 64

    package init(_ box: ArraySlice<UInt8>) {
        var rest = box.dropFirst(4)
        func take(_ width: Int64) -> Int64? {
            guard width > 0 else { return 0 }
            defer { rest = rest.dropFirst(Int(width)) }
            return rest.first(Int(width))
        }
        guard let version = box.first, version <= 2, let sizes = take(2), let count = take(version < 2 ? 2 : 4) else {
            return
        }
        let indexSize = version == 0 ? 0 : sizes & 15
        for _ in 0..<count {
            guard let number = take(version < 2 ? 2 : 4), let method = version == 0 ? 0 : take(2), take(2) != nil,
                let base = take(sizes >> 4 & 15), let extents = take(2)
            else { return }
            // Without widths, all extents would be the same, and any number of them would take no bytes.
            guard extents <= 1 || sizes >> 8 > 0 || indexSize > 0 else { return }
            var place = Place(isInData: method & 15 == 1, extents: [])
            for _ in 0..<extents {
                guard take(indexSize) != nil, let offset = take(sizes >> 12), let length = take(sizes >> 8 & 15) else {
                    return
                }
                let (start, overflow) = base.addingReportingOverflow(offset)
                let (end, overflows) = start.addingReportingOverflow(length)
                guard !overflow, !overflows else { return }
                if place.extents.count < Self.maximumExtents { place.extents.append(start..<end) }
            }
            // The data of other items (method 2) is not followed.
            if method & 15 < 2, extents <= Self.maximumExtents { places[number] = place }
        }
    }
}
