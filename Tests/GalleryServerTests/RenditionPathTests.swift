import Accounts
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

@Suite struct RenditionTargetTests {
    private func target(_ path: String, _ query: String?) -> RenditionTarget? {
        let query = query.map { Array($0.utf8) }
        return Array(path.utf8).withUnsafeBytes { path in
            guard let query else { return RenditionTarget(path: path, query: nil) }
            return query.withUnsafeBytes { RenditionTarget(path: path, query: $0) }
        }
    }

    @Test func `only the exact form of a link is recognised`() throws {
        let (path, version) = ("/images/0000000000007/tile", "v=0000000000009")
        let plain = try #require(target(path, version))
        #expect(plain.link == nil && plain.image.rawValue == 7 && plain.version.rawValue == 9)
        let link = "0000abcd~000000000000a"
        let read = try #require(target(path, "\(version)&r=\(link)")?.link)
        #expect(read.account.number == 0xabcd && read.code.rawValue == 10)
        var bytes: [UInt8] = []
        read.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == link)
        for query in [
            "\(version)&r=", "\(version)&r=\(link)0", "\(version)&r=\(link.dropLast())", "\(version)&R=\(link)",
            "r=\(link)&\(version)", "\(version)&r=\(link.uppercased())", "\(version)&r=\(link)&x", "\(version)&",
            "r=\(link)",
        ] {
            #expect(target(path, query) == nil, "\(query)")
        }
        #expect(target(path, nil) == nil)
    }
}
