/// URLs as the log and the texts of errors have them: without user name, password, query and fragment. Whoever reads
/// a log is to learn which picture it is about, and not the signature that opens it.
enum LoggableURL {
    private static let longest = 300

    /// `text` need not be a URL that can be used, nor one at all.
    static func text(_ text: String) -> String {
        let mark = text.firstIndex { $0 == "?" || $0 == "#" }
        let path = withoutUser(text[..<(mark ?? text.endIndex)])
        let end = mark.map { text[$0] == "?" ? "?…" : "" } ?? ""
        return path.count > longest ? path.prefix(longest) + "…" + end : path + end
    }

    /// Without what stands before the last `@` of the authority (RFC 3986 §3.2).
    private static func withoutUser(_ text: Substring) -> String {
        var start = text.startIndex
        var slashes = 0
        // `http:user@host` and `//user@host` are understood by some as well.
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
