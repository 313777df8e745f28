import Images

/// A rendition of a specific version, parsed from the exact form in which the server writes URLs:
/// `/images/ID/RENDITION?v=VERSION`, in a gallery with accounts followed by `&r=ACCOUNT~CODE`.
struct RenditionTarget: Equatable {
    let image: PublicImageID
    let rendition: Rendition
    let version: ContentVersion
    let link: SignedLink?

    private static let start = Array("/images/".utf8)
    private static let codeLength = 13
    private static let names = Rendition.allCases.map { (bytes: Array($0.rawValue.utf8), rendition: $0) }

    private static let linkStart = Array("&r=".utf8)

    /// Nil for any other form, even an equivalent one.
    init?(path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer?) {
        let name = Self.start.count + Self.codeLength + 1
        let versionEnd = Self.codeLength + 2
        guard let query, query.count >= versionEnd, query[0] == UInt8(ascii: "v"),
            query[1] == UInt8(ascii: "="), path.count > name, path[name - 1] == UInt8(ascii: "/"),
            Self.start.elementsEqual(path.prefix(Self.start.count)),
            let image = PublicImageID(UnsafeRawBufferPointer(rebasing: path[Self.start.count..<name - 1])),
            let version = ContentVersion(UnsafeRawBufferPointer(rebasing: query[2..<versionEnd])),
            let named = Self.names.first(where: { $0.bytes.elementsEqual(path[name...]) })
        else { return nil }
        if query.count == versionEnd {
            link = nil
        } else {
            let linkBegin = versionEnd + Self.linkStart.count
            guard query.count > linkBegin, Self.linkStart.elementsEqual(query[versionEnd..<linkBegin]),
                let link = SignedLink(UnsafeRawBufferPointer(rebasing: query[linkBegin...]))
            else { return nil }
            self.link = link
        }
        (self.image, self.rendition, self.version) = (image, named.rendition, version)
    }
}
