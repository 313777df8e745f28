import Images
import Origins
import Testing

@testable import Loading

@Suite struct OriginalVersionTests {
    private func version(_ tag: String?, _ date: String? = nil, _ length: Int64? = nil) -> ContentVersion? {
        ContentVersion(Validators(entityTag: tag, lastModified: date), length: length)
    }

    @Test func `the version comes from a strong entity tag, or else from date and length together`() {
        #expect(version("\"a\"") != nil && version("\"a\"") == version("\"a\"", "then", 5))
        #expect(version("\"a\"") != version("\"b\""))
        #expect(version("W/\"a\"") == nil && version(nil, "then") == nil && version(nil) == nil)
        #expect(version(nil, "then", 5) != version(nil, "then", 6))
        #expect(version("W/\"a\"", "then", 5) == version(nil, "then", 5))
    }
}

@Suite struct PictureSignatureTests {
    @Test func `only image formats that browsers display are recognised by their first bytes`() {
        #expect(PictureSignature.mediaType(of: picture(20)) == "image/jpeg")
        #expect(PictureSignature.mediaType(of: Array("GIF89a..........".utf8)) == "image/gif")
        #expect(PictureSignature.mediaType(of: Array("RIFF....WEBPVP8 ".utf8)) == "image/webp")
        #expect(PictureSignature.mediaType(of: Array("\0\0\0 ftypavif\0\0\0\0".utf8)) == "image/avif")
        #expect(PictureSignature.mediaType(of: Array("<svg xmlns='http".utf8)) == nil)
        #expect(PictureSignature.mediaType(of: Array("<!doctype html> ".utf8)) == nil)
        #expect(PictureSignature.mediaType(of: [UInt8]()) == nil)
    }
}
