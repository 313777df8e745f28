import Images
import Testing

@testable import GalleryServer

@Suite struct RenditionPathTests {
    private func written(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `ids, versions and links are appended as they are described`() {
        for raw in [0, 1, UInt64.max, 0x0123_4567_89ab_cdef] {
            let (id, version) = (ImageID(rawValue: raw), ContentVersion(rawValue: raw))
            #expect(written { id.append(to: &$0) } == id.description)
            #expect(written { version.append(to: &$0) } == version.description)
            let (paths, below) = (RenditionPath(), RenditionPath(basePath: "/my/gallery"))
            #expect(written { paths.append("tile", of: id, nil, to: &$0) } == "/images/\(id)/tile")
            #expect(written { paths.append("tile", of: id, version, to: &$0) } == "/images/\(id)/tile?v=\(version)")
            #expect(written { below.append("tile", of: id, nil, to: &$0) } == "/my/gallery/images/\(id)/tile")
            #expect(below.path(of: .tile, image: id, token: "t") == "/my/gallery/images/\(id)/tile?token=t")
        }
    }
}
