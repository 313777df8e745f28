import Encodings
import Hashing

/// The inline styles and scripts of a page, as source expressions of a Content-Security-Policy (CSP 3 §2.3.1):
/// `'sha256-…'`. With these, browsers run exactly that inline content and no other.
public struct InlineSources: Sendable, Hashable {
    /// The source expressions for `style-src`.
    public let styles: [String]
    /// The source expressions for `script-src`.
    public let scripts: [String]

    /// Finds `<style>` and `<script>` elements without attributes; a script with a `type` is data.
    init(page: some Collection<UInt8>) {
        let page = Array(page)
        styles = Self.contents(of: "style", in: page).map(Self.expression)
        scripts = Self.contents(of: "script", in: page).map(Self.expression)
    }

    static func expression(for bytes: some Collection<UInt8>) -> String {
        "'sha256-\(Base64.standard.encode(SHA256.hash(Array(bytes))))'"
    }

    private static func contents(of element: String, in page: [UInt8]) -> [ArraySlice<UInt8>] {
        let (start, end) = (Array("<\(element)>".utf8), Array("</\(element)>".utf8))
        var found: [ArraySlice<UInt8>] = []
        var rest = page[...]
        while let first = rest.firstRange(of: start), let last = rest[first.upperBound...].firstRange(of: end) {
            found.append(rest[first.upperBound..<last.lowerBound])
            rest = rest[last.upperBound...]
        }
        return found
    }
}
