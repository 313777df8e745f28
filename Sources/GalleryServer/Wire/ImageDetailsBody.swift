import Images

/// One image with all that its metadata says.
struct ImageDetailsBody: Encodable, Sendable {
    let image: GalleryImage
    /// Where it stands in the sources' own order.
    let index: Int
    /// The folder that it lies in, as ``Catalog/folders(in:)`` names it; nil of what lies in none.
    let folder: String?

    private enum Key: CodingKey {
        case folder, orientation, camera, place, rating, title, keywords, placeNames, broken
    }

    /// The fields of a page's image, and beside them what only the details have.
    func encode(to encoder: any Encoder) throws {
        try ImageBody(image, at: index).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(folder, forKey: .folder)
        try container.encodeIfPresent(image.facts.orientation, forKey: .orientation)
        try container.encodeIfPresent(image.facts.camera, forKey: .camera)
        try container.encodeIfPresent(image.facts.place, forKey: .place)
        try container.encodeIfPresent(image.facts.rating, forKey: .rating)
        try container.encodeIfPresent(image.facts.title, forKey: .title)
        if !image.facts.keywords.isEmpty { try container.encode(image.facts.keywords, forKey: .keywords) }
        try container.encodeIfPresent(image.facts.placeNames, forKey: .placeNames)
        if image.facts.isBroken == true { try container.encode(true, forKey: .broken) }
    }
}
