import Images

/// A rendition of a specific version, parsed from the exact form in which the server writes URLs:
/// `/images/ID/RENDITION?v=VERSION`.
struct RenditionTarget: Equatable {
    let image: SealedImageID
    let rendition: Rendition
    let version: ContentVersion

    private static let start = Array("/images/".utf8)
    private static let codeLength = 13
    private static let names = Rendition.allCases.map { (bytes: Array($0.rawValue.utf8), rendition: $0) }

    /// Nil for any other form, even an equivalent one.
    init?(path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer?) {
        let name = Self.start.count + Self.codeLength + 1
        guard let query, query.count == Self.codeLength + 2, query[0] == UInt8(ascii: "v"),
            query[1] == UInt8(ascii: "="), path.count > name, path[name - 1] == UInt8(ascii: "/"),
            Self.start.elementsEqual(path.prefix(Self.start.count)),
            let image = SealedImageID(UnsafeRawBufferPointer(rebasing: path[Self.start.count..<name - 1])),
            let version = ContentVersion(UnsafeRawBufferPointer(rebasing: query[2...])),
            let named = Self.names.first(where: { $0.bytes.elementsEqual(path[name...]) })
        else { return nil }
        (self.image, self.rendition, self.version) = (image, named.rendition, version)
    }
}
