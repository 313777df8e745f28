/// URLs in the form used in logs and error messages: without user name, password, query and fragment. A reader of the
/// log should learn which image is concerned, but not get the signature that grants access to it.
enum LoggableURL {
    private static let maximumLength = 300

    /// `text` need not be a valid URL.
    static func text(_ text: String) -> String {
        let mark = text.firstIndex { $0 == "?" || $0 == "#" }
        let path = withoutUser(text[..<(mark ?? text.endIndex)])
        let end = mark.map { text[$0] == "?" ? "?…" : "" } ?? ""
        return path.count > maximumLength ? path.prefix(maximumLength) + "…" + end : path + end
    }

    /// Without the userinfo, that is everything up to the last `@` of the authority (RFC 3986 §3.2).
    private static func withoutUser(_ text: Substring) -> String {
        var start = text.startIndex
        var slashes = 0
        // Some parsers also accept `http:user@host` and `//user@host`.
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains(where: { "/@".contains($0) }) {
            start = text.index(after: colon)
        }
        while start < text.endIndex, slashes < 2, "/\\".contains(text[start]) {
            start = text.index(after: start)
            slashes += 1
        }
        let end = text[start...].firstIndex { "/\\".contains($0) } ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@") else { return String(text) }
        return text[..<start] + "…" + text[at...]
    }
}
