/// A URL that can be fetched: absolute, http or https, a host, no credentials, of bounded length. What a list or a
/// template names must pass here before it is an image.
enum WebAddress {
    /// Bytes of the longest URL that is taken.
    static let longest = 8192

    /// Why a text is not such a URL; the reason is for people.
    struct Fault: Error, Hashable {
        let reason: String
    }

    /// The URL as it will be fetched: the fragment is cut off (RFC 9110 section 7.1), and letters beyond ASCII in path
    /// and query are percent-encoded (RFC 3987 section 3.1).
    static func parse(_ text: some Collection<UInt8>) throws(Fault) -> String {
        guard !text.isEmpty else { throw Fault(reason: "there is no URL") }
        guard text.count <= longest else { throw Fault(reason: "the URL is longer than \(longest) bytes") }
        let bytes = Array(text)
        guard let authorityStart = schemeEnd(of: bytes) else {
            throw Fault(reason: "not a URL that begins with http:// or https://")
        }
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
            throw Fault(reason: "the URL contains a space or a control character; write it as %20 and the like")
        }
        guard !bytes.contains(where: { "\\<>\"^`{|}".utf8.contains($0) }) else {
            throw Fault(
                reason: "the URL contains a character that must be percent-encoded (one of \\ < > \" ^ ` { | })")
        }
        let rest = bytes[authorityStart...]
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        try check(authority: bytes[authorityStart..<authorityEnd])
        let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        guard let whole = String(validating: bytes[..<end], as: UTF8.self) else {
            throw Fault(reason: "the URL is not UTF-8")
        }
        return whole.utf8.allSatisfy { $0 < 0x80 } ? whole : percentEncoded(bytes[..<end])
    }

    /// What people may call the picture: the last part of the path, or the host.
    static func name(of url: String) -> String {
        let afterScheme = url.utf8.firstIndex(of: UInt8(ascii: ":")).map { url[$0...].dropFirst(3) } ?? url[...]
        let path = afterScheme.prefix { $0 != "?" && $0 != "#" }
        guard let last = path.split(separator: "/").last else { return url }
        guard let decoded = percentDecoded(last), !decoded.isEmpty,
            decoded == FilePath.printable(decoded)
        else { return String(last) }
        return decoded
    }

    private static func schemeEnd(of bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] where bytes.count >= scheme.utf8.count {
            let start = bytes.prefix(scheme.utf8.count)
            if zip(start, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return scheme.utf8.count }
        }
        return nil
    }

    /// RFC 3986 section 3.2, narrowed: a name or address in ASCII and, after a colon, a port from 1 to 65535.
    private static func check(authority: ArraySlice<UInt8>) throws(Fault) {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw Fault(reason: "the URL carries a user name or password; those are not sent")
        }
        var host = authority
        var port: ArraySlice<UInt8>?
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")),
                authority[authority.startIndex + 1..<close].allSatisfy(isAddressLetter),
                close > authority.startIndex + 1
            else { throw Fault(reason: "the URL's host is not an IPv6 address in brackets") }
            host = authority[..<close]
            let after = authority[(close + 1)...]
            guard after.isEmpty || after.first == UInt8(ascii: ":") else {
                throw Fault(reason: "the URL's host is not an IPv6 address in brackets")
            }
            port = after.isEmpty ? nil : after.dropFirst()
        } else {
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
                host = authority[..<colon]
                port = authority[(colon + 1)...]
            }
            guard host.allSatisfy(isNameLetter) else {
                throw Fault(reason: "the URL's host has letters that no host has; beyond ASCII write its xn-- form")
            }
        }
        guard !host.isEmpty else { throw Fault(reason: "the URL has no host") }
        if let port, !port.isEmpty {
            let number = Int(String(decoding: port, as: UTF8.self))
            guard port.count <= 5, let number, (1...65535).contains(number), port.allSatisfy(isDigit) else {
                throw Fault(reason: "the URL's port is not 1 to 65535")
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isNameLetter(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-._~".utf8.contains(byte)
    }

    private static func isAddressLetter(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) || ":.".utf8.contains(byte)
    }

    /// Nil when what is encoded is not UTF-8.
    private static func percentDecoded(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[position + 1...position + 2], as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                position += 3
            } else {
                decoded.append(bytes[position])
                position += 1
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// With letters beyond ASCII percent-encoded.
    static func percentEncoded(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let encoded = bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
