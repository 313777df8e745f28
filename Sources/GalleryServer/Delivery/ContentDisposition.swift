import Encodings

/// The `Content-Disposition` field (RFC 6266), which names the file that a picture is saved as.
enum ContentDisposition {
    /// The name in UTF-8 with everything but `attr-char` percent-encoded (RFC 8187 §3.2), so that no name can escape
    /// from the field.
    static func inline(name: String) -> String {
        "inline; filename*=UTF-8''\(PercentEncoding.encode(name.utf8, keeping: isAttributeCharacter))"
    }

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}
