/// A web origin that the operator trusts, as browsers write it: scheme, host, and port unless it is the scheme's default
/// (`https://example.org`), or `*` for every origin.
struct WebOrigin: Hashable, Sendable {
    let text: String

    /// - Parameter option: What the operator wrote the text for.
    init(_ text: String, of option: String) throws(Malformed) {
        guard Self.isWellFormed(text) else { throw Malformed(text: text, option: option) }
        self.text = text
    }

    private static func isWellFormed(_ text: String) -> Bool {
        if text == "*" { return true }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let host = text.dropFirst(scheme.count)
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: ".-:[]".utf8.contains(byte)
                }
            }
    }

    /// A text that was given as an origin and is not one.
    struct Malformed: Error, CustomStringConvertible {
        let text: String
        let option: String

        var description: String {
            "\(option) \(text): write it as browsers do, in lower case and without a path: https://example.org"
        }
    }
}
