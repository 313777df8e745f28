/// The `Content-Disposition` field (RFC 6266): under which name a picture is saved.
enum ContentDisposition {
    /// The name in UTF-8 with everything but `attr-char` percent-encoded (RFC 8187 §3.2), so that no name can break out
    /// of the field.
    static func inline(name: String) -> String {
        var encoded = ""
        for byte in name.utf8 {
            if isAttributeCharacter(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + String(byte >> 4, radix: 16, uppercase: true)
                encoded += String(byte & 15, radix: 16, uppercase: true)
            }
        }
        return "inline; filename*=UTF-8''\(encoded)"
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
