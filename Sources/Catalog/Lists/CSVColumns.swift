/// The columns of a CSV list that matter here.
struct CSVColumns {
    private static let urlNames = [
        "url", "image_url", "imageurl", "image-url", "image url", "image", "src", "source", "href", "link", "uri",
        "photo", "picture", "file",
    ]
    private static let nameNames = ["name", "title", "caption", "label"]

    let url: Int
    var name: Int?

    /// The columns that a header names; nil if it names no column of URLs.
    init?(header fields: [[UInt8]]) {
        let names = fields.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let column = Self.urlNames.lazy.compactMap(names.firstIndex(of:)).first else { return nil }
        url = column
        name = Self.nameNames.lazy.compactMap(names.firstIndex(of:)).first
    }

    /// The first column that contains a URL in this record; nil if none does.
    init?(record fields: [[UInt8]]) {
        guard let column = fields.firstIndex(where: { (try? WebAddress.parse($0)) != nil }) else { return nil }
        url = column
    }
}
