import Images
import Renditions
import TestSupport
import Testing
import Time

@testable import Decoding

@Suite struct XMPPacketTests {
    private func read(_ attributes: String = "", _ children: String = "") -> XMPPacket {
        XMPPacket(Array(Sample.xmp(attributes, children).utf8)[...])
    }

    @Test func `attributes of a description, simple values and lists are read`() {
        let packet = read(
            #"xmp:Rating="4" photoshop:City='Zürich &amp; more' exif:DateTimeOriginal="2019-06-01T10:00:00.25+02:00""#,
            """
            <dc:title><rdf:Alt><rdf:li xml:lang="de">Ein Tag</rdf:li>
              <rdf:li xml:lang="x-default">A &lt;day&gt; &#x1F6F6;&#33; <![CDATA[<&amp;>]]></rdf:li></rdf:Alt></dc:title>
            <dc:subject><rdf:Bag> <rdf:li>cat</rdf:li><rdf:li> </rdf:li><rdf:li>cat</rdf:li><rdf:li>Katze &amp; Maus</rdf:li>
              <rdf:li/></rdf:Bag></dc:subject>
            <photoshop:State>ZH</photoshop:State><photoshop:Country>Schweiz</photoshop:Country>
            <Iptc4xmpCore:Location>Altstadt</Iptc4xmpCore:Location>
            <photoshop:DateCreated>2001-01-01</photoshop:DateCreated>
            """)
        #expect(packet.rating == 4)
        #expect(packet.title == "A <day> \u{1f6f6}! <&amp;>")
        #expect(packet.keywords == ["cat", "Katze & Maus"])
        #expect(packet.placeNames.city == "Zürich & more" && packet.placeNames.state == "ZH")
        #expect(packet.placeNames.country == "Schweiz" && packet.placeNames.location == "Altstadt")
        #expect(packet.created?.text == "2019-06-01T10:00:00.25+02:00")
    }

    @Test func `namespace prefixes are resolved by their declarations`() {
        let packet = """
            <a:RDF xmlns:a="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xmp="http://example.org/">
            <a:Description b:Rating="2" xmp:Rating="5" xmlns:b="http://ns.adobe.com/xap/1.0/"/></a:RDF>
            """
        #expect(XMPPacket(Array(packet.utf8)[...]).rating == 2)
    }

    @Test func `properties nested in other properties are ignored`() {
        let packet = read(
            "",
            """
            <dc:creator><rdf:Description photoshop:City="Paris" xmp:Rating="3"><dc:title>No</dc:title></rdf:Description>
            </dc:creator><dc:subject><rdf:Bag><rdf:li><dc:title>No</dc:title>yes</rdf:li></rdf:Bag></dc:subject>
            """)
        #expect(packet.placeNames == ImageMetadata.PlaceNames() && packet.rating == nil && packet.title == nil)
        #expect(packet.keywords == ["yes"])
    }

    @Test func `keywords, text lengths and nesting depth are limited`() {
        let words = (0..<100).map { "<rdf:li>\($0)\(String(repeating: "é", count: 500))</rdf:li>" }.joined()
        let long = String(repeating: "ä", count: 10_001)
        let packet = read(
            #"photoshop:City="\#(long)""#,
            "<dc:subject><rdf:Bag>\(words)</rdf:Bag></dc:subject><dc:title>\(long)</dc:title>")
        #expect(packet.keywords.count == 64 && packet.keywords.allSatisfy { $0.utf8.count <= 128 })
        #expect(packet.title?.utf8.count == 1_024 && packet.placeNames.city?.utf8.count == 256)
        let deep = read("", String(repeating: "<x>", count: 100_000) + "<dc:title>deep</dc:title>")
        #expect(deep.title == nil)
    }

    @Test func `a truncated or corrupted packet never causes an out-of-bounds read`() {
        let whole = Array(
            Sample.xmp(
                #"xmp:Rating="4""#,
                "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>a&#x41;</rdf:li></rdf:Alt></dc:title><!-- --><![CDATA[b]]>"
            ).utf8)
        for length in 0..<whole.count { _ = XMPPacket(whole.prefix(length)) }
        var random = SeededRandom(seed: 3)
        var titles = 0
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<3 {
                let marks = Array("<>/&;'\"=!-[] \u{0}".utf8)
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = marks.randomElement(using: &random) ?? 0
            }
            if XMPPacket(bytes[...]).title != nil { titles += 1 }
        }
        #expect(titles > 1_000 && titles < 5_000)
    }
}

@Suite struct IPTCRecordTests {
    @Test func `data sets are read, bare or inside Photoshop resources`() throws {
        let sets: [(UInt8, String)] = [
            (5, " A day "), (25, "cat"), (25, "Łódź"), (25, "cat"), (25, ""), (55, "20190601"), (60, "100000+0200"),
            (90, "Bern"), (92, "Altstadt"), (95, "BE"), (101, "Schweiz"), (90, "another"),
        ]
        for block in [
            Sample.iptc(sets), Sample.iptcSegment(sets).content, Array(Sample.iptcSegment(sets).content.dropFirst(14)),
        ] {
            let record = try #require(IPTCRecord(block[...]))
            #expect(record.title == "A day" && record.keywords == ["cat", "Łódź"])
            #expect(record.placeNames.city == "Bern" && record.placeNames.location == "Altstadt")
            #expect(record.placeNames.state == "BE" && record.placeNames.country == "Schweiz")
            #expect(record.created?.text == "2019-06-01T10:00:00+02:00")
        }
    }

    @Test func `text that is not UTF-8 is read as Latin-1`() {
        let record = IPTCRecord([0x1c, 2, 90, 0, 4, 0x47, 0xe4, 0x75, 0x21])
        #expect(record?.placeNames.city == "Gäu!")
        // Many programs truncate a text where the data set is full, even within a character.
        #expect(IPTCRecord([0x1c, 2, 90, 0, 4, 0xc3, 0x96, 0x6c, 0xc3])?.placeNames.city == "Öl")
    }

    @Test func `a length beyond the end of the data stops the parser`() throws {
        let whole = Sample.iptcSegment([(5, "A day"), (25, "cat"), (90, "Bern")]).content
        var read = 0
        for length in 0..<whole.count where IPTCRecord(whole.prefix(length)) != nil { read += 1 }
        for position in whole.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var bytes = whole
                bytes[position] = value
                if let record = IPTCRecord(bytes[...]) {
                    read += 1
                    #expect(record.keywords.count <= 64)
                }
            }
        }
        #expect(read > whole.count)
        // The length of the length, and a length with all bits set.
        for bytes in [[0x1c, 2, 5, 0xff, 0xff], [0x1c, 2, 5, 0x80, 4, 0xff, 0xff, 0xff, 0xff, 1]] as [[UInt8]] {
            #expect(IPTCRecord(bytes[...])?.title == nil)
        }
        #expect(IPTCRecord([0x1c, 2, 5, 0x80, 2, 0, 3, 0x61, 0x62, 0x63])?.title == "abc")
    }
}

@Suite struct PictureMetadataTests {
    private let exif = ExifBuilder(
        main: [ExifBuilder.text(0x010e, "of EXIF"), ExifBuilder.short(0x4746, 1), ExifBuilder.short(0x0112, 6)],
        exposure: [
            ExifBuilder.text(0x9003, "2001:01:01 01:01:01"), ExifBuilder.text(0x9011, "+01:00"),
            ExifBuilder.text(0xa434, "50mm"),
        ])
    private let iptc = Sample.iptcSegment([
        (5, "of IPTC"), (25, "iptc"), (55, "20020202"), (60, "020202+0200"), (90, "IPTC-City"), (101, "IPTC-Land"),
    ])

    private func jpeg(_ segments: [(marker: UInt8, content: [UInt8])]) throws -> [UInt8] {
        Sample.adding(segments, to: try Sample.jpeg(width: 80, height: 60))
    }

    private var exifSegment: (marker: UInt8, content: [UInt8]) { (0xe1, Array("Exif\0\0".utf8) + exif.bytes) }

    private func examined(_ bytes: [UInt8]) throws -> ImageMetadata {
        guard case .made(let answer) = try Renderer().perform(.readMetadata, on: .bytes(bytes), stop: RenderStop())
        else {
            throw RenderError(.failed, "It is heavy.")
        }
        return answer.metadata
    }

    @Test func `each property comes from XMP, else from IPTC, else from EXIF`() throws {
        let xmp = Sample.xmpSegment(
            Sample.xmp(
                #"xmp:Rating="5" exif:DateTimeOriginal="2003-03-03T03:03:03+03:00" photoshop:City="XMP-City""#,
                "<dc:title>of XMP</dc:title>"
                    + "<dc:description>by XMP</dc:description><dc:subject><rdf:Bag><rdf:li>xmp</rdf:li></rdf:Bag></dc:subject>"
            ))
        var metadata = try examined(jpeg([exifSegment, xmp, iptc]))
        #expect(metadata.title == "of XMP" && metadata.keywords == ["xmp"] && metadata.rating == 5)
        #expect(metadata.description == "by XMP")
        #expect(metadata.takenAt == "2003-03-03T03:03:03+03:00")
        #expect(metadata.placeNames?.city == "XMP-City" && metadata.placeNames?.country == "IPTC-Land")
        metadata = try examined(jpeg([exifSegment, iptc]))
        #expect(metadata.title == "of IPTC" && metadata.keywords == ["iptc"] && metadata.rating == 1)
        #expect(metadata.takenAt == "2002-02-02T02:02:02+02:00" && metadata.placeNames?.city == "IPTC-City")
        metadata = try examined(
            jpeg([exifSegment, Sample.xmpSegment(Sample.xmp(#"xmp:Rating="0""#, "<dc:title> </dc:title>"))]))
        #expect(
            metadata.description == "of EXIF" && metadata.title == nil && metadata.rating == nil
                && metadata.takenAt == "2001-01-01T01:01:01+01:00")
        #expect(metadata.camera?.lens == "50mm")
    }

    @Test func `the time of digitization stands in for a missing original time`() throws {
        let created = Sample.xmpSegment(Sample.xmp(#"xmp:CreateDate="2003-03-03T03:03:03""#))
        #expect(try examined(jpeg([created])).takenAt == "2003-03-03T03:03:03Z")
        #expect(try examined(jpeg([exifSegment, created])).takenAt == "2001-01-01T01:01:01+01:00")
        let scanned = ExifBuilder(exposure: [
            ExifBuilder.text(0x9003, "0000:00:00 00:00:00"), ExifBuilder.text(0x9004, "2015:08:22 10:11:12"),
            ExifBuilder.text(0x9012, "-03:00"), ExifBuilder.text(0x9292, "5 "),
        ])
        let segment: (marker: UInt8, content: [UInt8]) = (0xe1, Array("Exif\0\0".utf8) + scanned.bytes)
        #expect(try examined(jpeg([segment])).takenAt == "2015-08-22T10:11:12.5-03:00")
        let digitized = Sample.iptcSegment([(55, "garbage"), (62, "20180130"), (63, "101112")])
        #expect(try examined(jpeg([digitized])).takenAt == "2018-01-30T10:11:12Z")
        #expect(try examined(jpeg([Sample.iptcSegment([(55, "2018-01-30")])])).takenAt == "2018-01-30")
    }

    @Test(arguments: [
        ("-1", -1), ("0", nil), ("3.0", 3), ("5", 5), ("6", nil), ("nan", nil), ("1e300", nil), ("-2", nil),
    ])
    func `a rating is one to five, or minus one for a rejected picture`(text: String, rating: Int?) throws {
        let metadata = try examined(jpeg([Sample.xmpSegment(Sample.xmp("xmp:Rating=\"\(text)\""))]))
        #expect(metadata.rating == rating)
    }

    @Test func `the head of a JPEG yields the same metadata as the decoder`() throws {
        let segments = [exifSegment, Sample.xmpSegment(Sample.xmp(#"xmp:Rating="5""#)), iptc]
        let whole = try jpeg(segments)
        let reader = try SourceReader(.bytes(whole), stop: RenderStop())
        let metadata = try #require(JPEGHead(reader)).metadata(of: reader)
        #expect(metadata == (try Renderer().inspect(.bytes(whole)).metadata))
        #expect((metadata.width, metadata.height) == (60, 80) && metadata.readerVersion == ImageMetadata.currentReader)
        // No pixels are read, and segments that are not needed are skipped.
        let padding = (0..<20).map { _ in (marker: UInt8(0xe2), content: [UInt8](repeating: 0xff, count: 60_000)) }
        let long = Sample.adding(padding, to: whole)
        let end = try #require(long.indices.dropLast().last { long[$0] == 0xff && long[$0 + 1] == 0xda })
        let cut = Array(long[..<end])
        #expect(try examined(cut).title == "of IPTC")
    }

    @Test func `the decoder reads the metadata of other formats`() throws {
        let packet = Sample.xmp(#"xmp:Rating="3""#, "<dc:title>in a PNG</dc:title>")
        let text = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + Array(packet.utf8)
        var png = Sample.png(Sample.quarters(width: 20, height: 10))
        png.insert(contentsOf: Sample.chunk("iTXt", text), at: 33)
        let metadata = try examined(png)
        #expect(metadata.title == "in a PNG" && metadata.rating == 3 && metadata.mediaType == "image/png")
        #expect(metadata.readerVersion == ImageMetadata.currentReader && metadata.isBroken == false)
    }

    @Test(arguments: [true, false])
    func `metadata of a PNG is read before and after the pixels`(isLate: Bool) throws {
        let text = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + Array(Sample.xmp(#"xmp:Rating="3""#).utf8)
        var png = Sample.png(Sample.quarters(width: 20, height: 10))
        let chunks = Sample.chunk("eXIf", exif.bytes) + Sample.chunk("iTXt", text)
        png.insert(contentsOf: chunks, at: isLate ? png.count - 12 : 33)
        let metadata = try examined(png)
        #expect(
            metadata.rating == 3 && metadata.takenAt == "2001-01-01T01:01:01+01:00" && metadata.description == "of EXIF"
        )
    }

    @Test func `the directories of a TIFF are read wherever they are`() throws {
        // The pixels of this one are longer than the head that is read at once.
        var tiff = Sample.tiff(Sample.quarters(width: 200, height: 200))
        let directory = Int(tiff[4]) | Int(tiff[5]) << 8 | Int(tiff[6]) << 16
        #expect(directory > SourceReader.headLength)
        // The same directory at the end, with a description and one for the exposure.
        var entries = Array(tiff[directory + 2..<directory + 2 + 12 * 9])
        let own = tiff.count
        let exposure = own + 2 + 12 * 11 + 4
        entries.insert(contentsOf: Self.entry(0x010e, 2, 4, Array("Day\0".utf8)), at: 12 * 5)
        entries += Self.entry(0x8769, 4, 1, Sample.little32(UInt32(exposure)))
        tiff.replaceSubrange(4..<8, with: Sample.little32(UInt32(own)))
        tiff += Sample.little16(11) + entries + Sample.little32(0)
        tiff += Sample.little16(1) + Self.entry(0x9003, 2, 20, Sample.little32(UInt32(exposure + 18)))
        tiff += Sample.little32(0) + Array("2015:08:22 10:11:12\0".utf8)
        let metadata = try examined(tiff)
        #expect(metadata.takenAt == "2015-08-22T10:11:12Z" && metadata.description == "Day" && metadata.width == 200)
        #expect(try Renderer().inspect(.bytes(tiff)).metadata.takenAt == metadata.takenAt)
    }

    private static func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
        Sample.little16(tag) + Sample.little16(type) + Sample.little32(count) + value
    }

    @Test func `a truncated or corrupted head never causes an out-of-bounds read`() throws {
        let whole = Array(
            try jpeg([exifSegment, iptc, Sample.xmpSegment(Sample.xmp(#"xmp:Rating="5""#))]).prefix(1_600))
        var (read, refused) = (0, 0)
        var random = SeededRandom(seed: 5)
        for round in 0..<whole.count + 5_000 {
            var bytes = round < whole.count && round > 0 ? Array(whole.prefix(round)) : whole
            if round >= whole.count {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let reader = try SourceReader(.bytes(bytes), stop: RenderStop())
            if let head = JPEGHead(reader) {
                _ = head.metadata(of: reader)
                read += 1
            } else {
                refused += 1
            }
        }
        #expect(read > 1_000 && refused > 100)
    }
}
