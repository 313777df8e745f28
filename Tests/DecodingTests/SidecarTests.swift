import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct SidecarTests {
    private func metadata(_ text: String, _ format: SidecarFormat) throws -> ImageMetadata {
        guard
            case .made(let answer) = try Renderer().perform(
                .readSidecars([format]), on: .bytes(Array(text.utf8)), stop: RenderStop())
        else { throw RenderError(.failed, "It is heavy.") }
        return answer.metadata
    }

    @Test func `XMP tells rating, title, keywords, place names, time and place`() throws {
        let attributes = #"""
            xmp:Rating="3" photoshop:City="Bern" exif:DateTimeOriginal="2018:08:21 10:01:17.25"
            exif:GPSLatitude="46,56.88N" exif:GPSLongitude="7,26,24W" exif:GPSAltitude="5401/10" exif:GPSAltitudeRef="1"
            """#
        let elements = """
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Bear &amp; bridge</rdf:li></rdf:Alt></dc:title>
            <dc:description>More</dc:description>
            <dc:subject><rdf:Bag><rdf:li>bear</rdf:li><rdf:li>Bär</rdf:li></rdf:Bag></dc:subject>
            """
        for start in ["", "\u{feff}", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"] {
            let metadata = try metadata(start + Sample.xmp(attributes, elements), .xmp)
            #expect(metadata.rating == 3 && metadata.title == "Bear & bridge" && metadata.keywords == ["bear", "Bär"])
            #expect(metadata.placeNames?.city == "Bern" && metadata.takenAt == "2018-08-21T10:01:17.25Z")
            let place = try #require(metadata.place)
            #expect(abs(place.latitude - 46.948) < 1e-9 && abs(place.longitude + 7.44) < 1e-9)
            #expect(place.altitude == -540.1)
            // Nothing of it is the picture's own.
            #expect(metadata.width == nil && metadata.readerVersion == nil && metadata.digest == nil)
        }
        let described = Sample.xmp("", "<dc:description>Only this</dc:description>")
        #expect(try metadata(described, .xmp).description == "Only this")
        #expect(try metadata(Sample.xmp(#"xmp:CreateDate="2018-01""#, ""), .xmp).takenAt == "2018-01")
    }

    @Test(
        arguments: [
            ("0,0.0N", "0,0.0E"), ("46,56.88N", nil), ("46.9", "7.4"), ("46,56.88E", "7,26.4N"), ("91,0N", "0,0E"),
            ("nanN", "1,0E"), ("1,2,3,4N", "1,0E"), ("-1,0N", "1,0E"), ("N", "E"), ("", ""), ("1e999N", "1,0E"),
        ] as [(String, String?)])
    func `coordinates that no receiver has set, or that are none, are no place`(latitude: String, longitude: String?)
        throws
    {
        let other = longitude.map { "exif:GPSLongitude=\"\($0)\"" } ?? ""
        let metadata = try metadata(Sample.xmp("exif:GPSLatitude=\"\(latitude)\" \(other)", ""), .xmp)
        #expect(metadata.place == nil)
    }

    @Test func `Takeout's JSON tells time, place, description and people`() throws {
        let json = #"""
            {"title": "IMG_1.jpg", "description": "At the\nlake", "imageViews": "7",
             "creationTime": {"timestamp": "1600000000", "formatted": "13 Sept 2020, 12:26:40 UTC"},
             "photoTakenTime": {"timestamp": "1534847537", "formatted": "21 Aug 2018, 10:32:17 UTC"},
             "geoData": {"latitude": 46.5, "longitude": -7.25, "altitude": 540.5, "latitudeSpan": 0.0},
             "geoDataExif": {"latitude": 1.0, "longitude": 2.0, "altitude": 3.0},
             "people": [{"name": "Ada"}, {"name": "Ada"}, {"name": 5}, {"name": "Zoë"}], "favorited": true}
            """#
        let metadata = try metadata(json, .takeout)
        #expect(metadata.takenAt == "2018-08-21T10:32:17Z" && metadata.description == "At the lake")
        #expect(metadata.place == ImageMetadata.Place(latitude: 46.5, longitude: -7.25, altitude: 540.5))
        #expect(metadata.keywords == ["Ada", "Zoë"] && metadata.rating == nil && metadata.width == nil)
        let elsewhere = try self.metadata(
            #"{"geoData":{"latitude":0.0,"longitude":0.0,"altitude":0.0},"geoDataExif":{"latitude":1,"longitude":2}}"#,
            .takeout)
        #expect(elsewhere.place == ImageMetadata.Place(latitude: 1, longitude: 2))
        let old = try self.metadata(#"{"photoTakenTime":{"timestamp":"-1000000000"}}"#, .takeout)
        #expect(old.takenAt == "1938-04-24T22:13:20Z")
    }

    @Test(arguments: [
        "{}", "[]", "null", "5", "", "{", #"{"photoTakenTime":"#, #"{"photoTakenTime":5}"#, #"{"geoData":[]}"#,
        #"{"photoTakenTime":{"timestamp":"0"}}"#, #"{"photoTakenTime":{"timestamp":"99999999999999999999"}}"#,
        #"{"photoTakenTime":{"timestamp":9223372036854775807}}"#, #"{"photoTakenTime":{"timestamp":"1e9"}}"#,
        #"{"photoTakenTime":{"timestamp":"-9223372036854775808"}}"#, #"{"geoData":{"latitude":1}}"#,
        #"{"geoData":{"latitude":91,"longitude":2}}"#, #"{"geoData":{"latitude":1e999,"longitude":2}}"#,
        #"{"description":"of something else","people":[{"name":"Ada"}]}"#, #"{"geoData":{},"people":{"name":"Ada"}}"#,
        #"{"geoData":{"latitude":"1","longitude":"2"}}"#, "\u{feff}{}", "not JSON at all",
    ])
    func `other JSON says nothing`(text: String) {
        #expect(Sidecar.metadata(in: Array(text.utf8), as: .takeout) == ImageMetadata())
    }

    @Test func `a sidecar of any length says only what fits`() throws {
        let long = String(repeating: "long ", count: 20_000)
        let people = (0..<500).map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
        let json = "{\"geoData\":{},\"description\":\"\(long)\",\"people\":[\(people)]}"
        let metadata = try metadata(json, .takeout)
        #expect(
            ImageMetadata.maximumDescription - 10...ImageMetadata.maximumDescription
                ~= metadata.description?.utf8.count ?? 0)
        #expect(metadata.keywords.count == ImageMetadata.maximumKeywords)
        let depth = String(repeating: "[", count: 200_000)
        #expect(Sidecar.metadata(in: Array("{\"geoData\":\(depth)".utf8), as: .takeout) == ImageMetadata())
        #expect(Sidecar.metadata(in: [0xff, 0xfe, 0x7b], as: .takeout) == ImageMetadata())
    }

    @Test(arguments: SidecarFormat.allCases) func `a sidecar that is too large or empty is refused`(
        format: SidecarFormat
    ) throws {
        func reason(_ length: Int) -> RenderError.Reason? {
            do {
                _ = try metadata(String(repeating: " ", count: length), format)
                return nil
            } catch {
                return (error as? RenderError)?.reason
            }
        }
        #expect(reason(format.maximumLength) == nil)
        #expect(reason(format.maximumLength + 1) == .tooLarge && reason(0) == .empty)
    }
}
