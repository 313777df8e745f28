/// One page of the gallery.
struct PageBody: Encodable, Sendable {
    /// The canonical text of the view; absent for the plain one.
    let view: String?
    let revision: Int
    let total: Int
    let offset: Int
    let images: [ImageBody]
    /// The cursor of the page after this one; null on the last.
    let next: String?

    private enum Key: CodingKey {
        case view, revision, total, offset, images, next
    }

    /// Written out so that the last page says `"next":null` rather than nothing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(view, forKey: .view)
        try container.encode(revision, forKey: .revision)
        try container.encode(total, forKey: .total)
        try container.encode(offset, forKey: .offset)
        try container.encode(images, forKey: .images)
        try container.encode(next, forKey: .next)
    }
}
