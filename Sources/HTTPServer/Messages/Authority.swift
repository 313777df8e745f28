import Encodings
import Glibc

/// Host and port as in `Host` and in URLs: `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2).
public struct Authority: Hashable, Sendable {
    /// In lower case; an IPv6 address without its brackets. Empty if the target has no authority.
    public let host: String
    /// Whether the host was in brackets: an IPv6 address, or one of a later version.
    public let isLiteral: Bool
    /// From 0 to 65535; nil if absent.
    public let port: Int?

    /// Nil for text that violates the grammar: a port that isn't a number, anything but a port after a bracket, or an
    /// invalid escape.
    public init?(_ text: String) {
        var text = text
        let isValid = text.withUTF8 { Self.isValid(UnsafeRawBufferPointer($0)) }
        guard isValid else { return nil }
        isLiteral = text.hasPrefix("[")
        let end = isLiteral ? text.firstIndex(of: "]") : text.firstIndex(of: ":")
        let start = isLiteral ? text.index(after: text.startIndex) : text.startIndex
        host = text[start..<(end ?? text.endIndex)].lowercased()
        let digits = end.map { text[$0...].drop { $0 == "]" || $0 == ":" } } ?? ""
        port = digits.isEmpty ? nil : Int(digits)
        guard digits.isEmpty || port.map({ $0 <= 65_535 }) ?? false else { return nil }
    }

    /// Whether `text` follows the grammar.
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        var cursor = 0
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")),
                isAddress(UnsafeRawBufferPointer(rebasing: text[1..<end]))
            else { return false }
            cursor = end + 1
        } else {
            guard let end = endOfName(text) else { return false }
            cursor = end
        }
        guard cursor < text.count else { return true }
        guard text[cursor] == ASCII.colon else { return false }
        return text[(cursor + 1)...].allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }

    /// The end of `reg-name`: a colon or the end of the text. Nil if it contains an invalid character.
    private static func endOfName(_ text: UnsafeRawBufferPointer) -> Int? {
        var cursor = 0
        while cursor < text.count, text[cursor] != ASCII.colon {
            if ASCII.isHostName(text[cursor]) {
                cursor += 1
            } else {
                guard text[cursor] == UInt8(ascii: "%"), cursor + 2 < text.count,
                    Hexadecimal.digit(text[cursor + 1]) != nil, Hexadecimal.digit(text[cursor + 2]) != nil
                else { return nil }
                cursor += 3
            }
        }
        return cursor
    }

    /// The contents of the brackets: `IPv6address / IPvFuture`. No zone is allowed, since it has no meaning on
    /// another machine.
    private static func isAddress(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.first.map(ASCII.lowercase) == UInt8(ascii: "v") {
            guard let dot = text.firstIndex(of: UInt8(ascii: ".")), dot > 1, dot + 1 < text.count else { return false }
            return text[1..<dot].allSatisfy { Hexadecimal.digit($0) != nil }
                && text[(dot + 1)...].allSatisfy { ASCII.isHostName($0) || $0 == ASCII.colon }
        }
        guard text.count < Int(INET6_ADDRSTRLEN) else { return false }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { name in
            for (index, byte) in text.enumerated() {
                guard byte != 0 else { return false }
                name[index] = CChar(bitPattern: byte)
            }
            name[text.count] = 0
            var address = in6_addr()
            return inet_pton(AF_INET6, name.baseAddress, &address) == 1
        }
    }
}
