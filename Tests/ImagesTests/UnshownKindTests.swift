import Images
import Testing

@Suite struct UnshownKindTests {
    @Test func `each extension is of one kind, and of none that is shown`() {
        let endings = UnshownKind.all.flatMap(\.fileExtensions)
        #expect(endings.count > 60 && Set(endings).count == endings.count)
        #expect(endings.allSatisfy { $0.utf8.count <= 5 && $0 == $0.lowercased() })
        let shown = ImageFormat.all.filter { $0.decoder != nil }.flatMap(\.fileExtensions)
        #expect(Set(endings).isDisjoint(with: shown))
        #expect(Set(UnshownKind.all.map(\.name)).count == UnshownKind.all.count)
    }

    @Test(
        arguments: [
            ("a.bmp", "bmp"), ("a.ICO", "ico"), ("a.tga", "tga"), ("a.jp2", "jp2"), ("a.psd", "psd"),
            ("a.mp4", "video"),
            ("a.b.M2TS", "video"), ("a.cr2", "raw"), ("a.CR3", "raw"), ("a.nef", "raw"), ("a.arw", "raw"),
            ("a.dng", "raw"),
            ("a.raf", "raw"), ("a.orf", "raw"), ("a.rw2", "raw"), ("a.pef", "raw"), ("a.srw", "raw"),
        ])
    func `a file's kind is told by its extension`(name: String, kind: String) {
        #expect(UnshownKind(fileName: Array(name.utf8))?.name == kind)
    }

    @Test(arguments: ["", "bmp", "a.", "a.txt", "a.jpg", "a.bmp.txt", "a.bmp/b", "a.longending"])
    func `other names are of no kind`(name: String) { #expect(UnshownKind(fileName: Array(name.utf8)) == nil) }

    @Test func `a RAW file that begins like a TIFF stays RAW, any other that begins like an image is one`() throws {
        let (raw, bmp) = (try #require(UnshownKind(named: "raw")), try #require(UnshownKind(named: "bmp")))
        let formats = ["tiff", "jpeg"].compactMap { name in ImageFormat.all.first { $0.name == name } }
        #expect(formats.map(raw.includes) == [true, false] && formats.map(bmp.includes) == [false, false])
    }
}
