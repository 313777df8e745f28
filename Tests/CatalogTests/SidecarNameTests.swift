import Images
import Testing

@testable import Catalog

@Suite struct SidecarNameTests {
    /// The sidecar that is found for a picture among these names.
    private func sidecar(_ format: SidecarFormat, of picture: String, among names: [String]) -> String? {
        SidecarName.first(format, of: Array(picture.utf8)) { name in
            names.first { Array($0.utf8) == name }
        }
    }

    @Test(
        arguments: [
            ("IMG.jpg", ["IMG.jpg.xmp", "IMG.xmp"], "IMG.jpg.xmp"), ("IMG.jpg", ["IMG.xmp"], "IMG.xmp"),
            ("IMG.JPG", ["IMG.XMP"], "IMG.XMP"), ("IMG.JPG", ["IMG.JPG.XMP"], "IMG.JPG.XMP"),
            ("a.b.jpg", ["a.b.xmp"], "a.b.xmp"), ("IMG(1).jpg", ["IMG(1).xmp", "IMG.xmp"], "IMG(1).xmp"),
            ("IMG", ["IMG.xmp"], "IMG.xmp"), (".jpg", [".jpg.xmp"], ".jpg.xmp"), ("é.jpg", ["é.xmp"], "é.xmp"),
            ("IMG.jpg", ["IMG2.xmp", "IM.xmp", "IMG.png.xmp", "IMG.xmp.jpg", "xmp", ".xmp"], nil),
            ("IMG(1).jpg", ["IMG.xmp"], nil), ("IMG-edited.jpg", ["IMG.xmp"], nil),
        ] as [(String, [String], String?)])
    func `XMP has the picture's whole name, or else its name without the extension`(
        picture: String, names: [String], sidecar expected: String?
    ) {
        #expect(sidecar(.xmp, of: picture, among: names) == expected)
    }

    @Test(arguments: [
        ("IMG.jpg", "IMG.jpg.json"), ("IMG.jpg", "IMG.jpg.supplemental-metadata.json"),
        // Names cut to 46 characters, and elsewhere.
        ("PXL_20230102_030405678.jpg", "PXL_20230102_030405678.jpg.supplemental-metada.json"),
        ("PXL_20230102_030405678.PORTRAIT.jpg", "PXL_20230102_030405678.PORTRAIT.jpg.supplement.json"),
        ("Urlaub in Knaufspesch in der Schneifel (38).JPG", "Urlaub in Knaufspesch in der Schneifel (38).JP.json"),
        ("original_1d4caa6f-16c6-4c3d-901b-9387de10e528_P.jpg", "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_.json"),
        ("IMG.jpg", "IMG.jpg.supplemental-m.json"), ("IMG.jpg", "IMG.jpg..json"), ("IMG.jpg", "IMG.jpg.s.json"),
        // Files with the same name.
        ("IMG(1).jpg", "IMG.jpg(1).json"), ("IMG(12).jpg", "IMG.jpg.supplemental-metadata(12).json"),
        ("IMG(1).jpg", "IMG(1).jpg.json"), ("IMG (1).jpg", "IMG (1).jpg.json"),
        ("PXL_20230102_030405678(2).jpg", "PXL_20230102_030405678.jpg.supplemental-metada(2).json"),
        // Edited copies.
        ("IMG-edited.jpg", "IMG.jpg.json"), ("IMG-edited(1).jpg", "IMG.jpg(1).json"),
        ("IMG-bearbeitet.jpg", "IMG.jpg.supplemental-metadata.json"), ("IMG-編集済み.jpg", "IMG.jpg.json"),
        ("IMG-edited.jpg", "IMG-edited.jpg.json"),
    ])
    func `Takeout's JSON is found whatever became of its name`(picture: String, json: String) {
        #expect(sidecar(.takeout, of: picture, among: [json]) == json)
        #expect(SidecarName.format(of: Array(json.utf8)) == .takeout)
    }

    @Test(arguments: [
        ("IMG.jpg", "IMG.jpg(1).json"), ("IMG.jpg", "IMG.png.json"), ("IMG.jpg", "IMG2.jpg.json"),
        ("IMG(1).jpg", "IMG.jpg.json"), ("IMG(1).jpg", "IMG.jpg(2).json"), ("IMG.jpg", "metadata.json"),
        ("IMG.jpg", ".json"), ("IMG.jpg", "IMG.jpg.supplementary.json"), ("IMG_edited.jpg", "IMG.jpg.json"),
    ])
    func `another picture's JSON is not found`(picture: String, json: String) {
        #expect(sidecar(.takeout, of: picture, among: [json]) == nil)
    }

    @Test func `the newest form of a name is preferred`() {
        let names = ["IMG.jpg.supplemental-metadata.json", "IMG.jpg.json", "IMG.jpg.sup.json"]
        for start in names.indices {
            #expect(sidecar(.takeout, of: "IMG.jpg", among: Array(names[start...])) == names[start])
        }
    }

    @Test func `all names of sidecars begin as the picture's name does`() {
        var seen = 0
        for picture in [
            "IMG.jpg", "IMG(1).jpg", "IMG-edited(2).jpg", String(repeating: "é", count: 60) + ".jpg", "a", ".jpg",
            String(repeating: "long ", count: 20) + "-bearbeitet.jpg", "(1).jpg", "-edited.jpg",
        ] {
            let start = SidecarName.commonStart(of: Array(picture.utf8))
            for format in SidecarFormat.allCases {
                let found: Bool? = SidecarName.first(format, of: Array(picture.utf8)) { name in
                    #expect(name.starts(with: start) && SidecarName.format(of: name) == format, "\(picture)")
                    seen += 1
                    return nil
                }
                #expect(found == nil)
            }
        }
        #expect(seen > 200)
    }
}
