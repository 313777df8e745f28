import Encodings
import HostNames

/// A URL that can be fetched: absolute, http or https, with a host, without credentials, of bounded length. Every URL
/// of a list or a template must pass this check before it becomes an image.
enum WebAddress {
    /// The longest URL accepted, in bytes.
    static let maximumLength = 8192

    /// Why a text is not such a URL; the reason is for people.
    struct Fault: Error, Hashable {
        let reason: String
    }

    /// The URL to fetch: without the fragment (RFC 9110 section 7.1), and in ASCII. Characters that may not stand in a
    /// URL are percent-encoded, as browsers do it, and a host name beyond ASCII gets its `xn--` form.
    static func parse(_ text: some Collection<UInt8>) throws(Fault) -> String {
        guard !text.isEmpty else { throw Fault(reason: "there is no URL") }
        guard text.count <= maximumLength else { throw Fault(reason: "the URL is longer than \(maximumLength) bytes") }
        let bytes = Array(text)
        guard let authorityStart = schemeEnd(of: bytes) else {
            throw Fault(reason: "not a URL that begins with http:// or https://")
        }
        try checkCharacters(of: bytes)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let authorityEnd = authorityEnd(of: bytes)
        let authority = try authority(bytes[authorityStart..<authorityEnd])
        guard let whole = String(validating: bytes[..<end], as: UTF8.self) else {
            throw Fault(reason: "the URL is not UTF-8")
        }
        var encoder = TargetEncoder()
        guard authority != nil || bytes[authorityEnd..<end].contains(where: { !encoder.isPlain($0) }) else {
            return whole
        }
        return String(decoding: bytes[..<authorityStart], as: UTF8.self)
            + (authority ?? String(decoding: bytes[authorityStart..<authorityEnd], as: UTF8.self))
            + encoder.encode(bytes[authorityEnd..<end])
    }

    /// The end of scheme, host, and port; `bytes` begin with a scheme.
    static func authorityEnd(of bytes: [UInt8]) -> Int {
        bytes[(schemeEnd(of: bytes) ?? 0)...].firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        } ?? bytes.endIndex
    }

    private static func checkCharacters(of bytes: [UInt8]) throws(Fault) {
        guard let first = bytes.first(where: { $0 <= 0x20 || $0 == 0x7f }) else { return }
        if let control = first == 0x20 ? bytes.first(where: { $0 < 0x20 || $0 == 0x7f }) : first {
            throw Fault(
                reason: control == UInt8(ascii: "\t")
                    ? "the URL contains a tab; if the list has columns, its name must end in .csv or .tsv"
                    : "the URL contains a control character")
        }
        let hasSecond = bytes.indices.contains { bytes[$0] == 0x20 && schemeEnd(of: bytes[($0 + 1)...]) != nil }
        if hasSecond { throw Fault(reason: "there is more than one URL; give each a line of its own") }
    }

    /// The display name of an image: the last component of the path, or the host.
    static func name(of url: String) -> String {
        let afterScheme = url.utf8.firstIndex(of: UInt8(ascii: ":")).map { url[$0...].dropFirst(3) } ?? url[...]
        let path = afterScheme.prefix { $0 != "?" && $0 != "#" }
        guard let last = path.split(separator: "/").last else { return url }
        guard let decoded = PercentEncoding.decode(last.utf8), !decoded.isEmpty,
            decoded == FilePath.printable(decoded)
        else { return String(last) }
        return decoded
    }

    /// The length of the scheme with its slashes; nil if the bytes do not begin with http or https.
    private static func schemeEnd(of bytes: some Collection<UInt8>) -> Int? {
        for scheme in ["http://", "https://"] where bytes.count >= scheme.utf8.count {
            let start = bytes.prefix(scheme.utf8.count)
            if zip(start, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return scheme.utf8.count }
        }
        return nil
    }

    /// Checks the host and the port: a subset of RFC 3986 section 3.2, with a port from 1 to 65535.
    ///
    /// - Returns: The authority in ASCII; nil if it is in ASCII already.
    private static func authority(_ authority: ArraySlice<UInt8>) throws(Fault) -> String? {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw Fault(reason: "the URL contains a user name or password, which are never sent")
        }
        var host = authority
        var port: ArraySlice<UInt8>?
        var converted: String?
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
            if !host.allSatisfy(InternationalName.isNameByte) {
                converted = host.allSatisfy { $0 < 0x80 } ? nil : InternationalName.ascii(host)
                guard converted != nil else { throw Fault(reason: "the URL's host has invalid characters") }
            }
        }
        guard !host.isEmpty else { throw Fault(reason: "the URL has no host") }
        if let port, !port.isEmpty {
            let number = Int(String(decoding: port, as: UTF8.self))
            guard port.count <= 5, let number, (1...65535).contains(number), port.allSatisfy(isDigit) else {
                throw Fault(reason: "the URL's port is not 1 to 65535")
            }
        }
        return converted.map { $0 + String(decoding: authority[host.endIndex...], as: UTF8.self) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isAddressLetter(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) || ":.".utf8.contains(byte)
    }

    /// Percent-encodes what may not stand in a URL's path and query (RFC 3986 section 3.3): spaces, characters beyond
    /// ASCII, and what browsers encode there. As in browsers, a backslash in the path is a slash. Pieces of one URL are
    /// encoded one after the other.
    struct TargetEncoder {
        private var isInQuery = false

        /// Whether a byte stays as it is.
        func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x21, 0x23...0x3b, 0x3d, 0x3f...0x5b, 0x5d, 0x5f, 0x61...0x7a, 0x7e: true
            default: false
            }
        }

        mutating func encode(_ bytes: some Sequence<UInt8>) -> String {
            var target: [UInt8] = []
            for byte in bytes {
                if byte == UInt8(ascii: "?") { isInQuery = true }
                target.append(byte == UInt8(ascii: "\\") && !isInQuery ? UInt8(ascii: "/") : byte)
            }
            return PercentEncoding.encode(target, keeping: isPlain)
        }
    }
}
