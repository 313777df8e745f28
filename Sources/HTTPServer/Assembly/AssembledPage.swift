import Crypto

/// A web page that comes in two answers: the page with its styles in it, and one script, which is named by its content
/// and so is never asked for again.
///
/// The page itself stays plain: `<link rel="stylesheet" href="/a.css">` and
/// `<script type="module" src="/a.js"></script>`, each on a line of its own, with paths from the root of the folder. A
/// script that is no module, `<script src="/b.js"></script>`, has to be run at once, and is put into the page.
struct AssembledPage {
    /// Where the files are that are named by their content.
    static let assets = "/assembled/"

    private(set) var page: [UInt8] = []
    /// Named by their content, by their paths.
    private(set) var assets: [String: [UInt8]] = [:]
    private(set) var inline = InlineSources()
    /// A script put together at its own path, for instance that of a service worker.
    private(set) var scripts: [String: [UInt8]] = [:]

    /// - Parameters:
    ///   - files: By their paths, each beginning with `/`.
    ///   - page: The page's path.
    ///   - scripts: Paths of scripts to be put together that keep their paths, as far as there are such files.
    init(_ files: [String: [UInt8]], page: String, scripts: [String]) throws(AssemblyError) {
        guard let bytes = files[page] else { throw .missing(page, namedBy: "the server") }
        var modules = ModuleAssembly(files)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let sheets = lines.compactMap(Self.sheet)
        var styles: [UInt8] = []
        for sheet in sheets {
            guard let bytes = files[sheet] else { throw .missing(sheet, namedBy: page) }
            styles += StyleSheet.condensed(bytes)
        }
        var text: [Substring] = []
        var hasStyles = false
        for line in lines {
            if Self.sheet(line) != nil {
                if !hasStyles { text.append("<style>\(String(decoding: styles, as: UTF8.self))</style>") }
                hasStyles = true
            } else if let script = Self.inlineScript(line) {
                let bytes = try modules.script(of: script)
                inline.scripts.append(InlineSources.expression(for: bytes))
                text.append("<script>\(String(decoding: bytes, as: UTF8.self))</script>")
            } else if let script = Self.script(line) {
                let address = try modules.address(of: script, namedBy: page)
                text.append("<script type=\"module\" src=\"\(address)\"></script>")
                // What the script begins with is fetched beside it, and the page names all that it needs.
                for other in modules.assets.keys.sorted() where other != address && other.hasSuffix(".js") {
                    text.append("<link rel=\"modulepreload\" href=\"\(other)\">")
                }
            } else {
                text.append(line)
            }
        }
        if hasStyles { inline.styles.append(InlineSources.expression(for: styles)) }
        for script in scripts where files[script] != nil { self.scripts[script] = try modules.script(of: script) }
        self.page = Array(text.joined(separator: "\n").utf8)
        assets = modules.assets
    }

    private static func sheet(_ line: Substring) -> String? {
        path(in: line, "<link rel=\"stylesheet\" href=\"", "\">")
    }

    private static func script(_ line: Substring) -> String? {
        path(in: line, "<script type=\"module\" src=\"", "\"></script>")
    }

    private static func inlineScript(_ line: Substring) -> String? {
        path(in: line, "<script src=\"", "\"></script>")
    }

    private static func path(in line: Substring, _ start: String, _ end: String) -> String? {
        let line = line.drop { $0 == " " }
        guard line.hasPrefix(start), line.hasSuffix(end) else { return nil }
        return String(line.dropFirst(start.count).dropLast(end.count))
    }
}

/// What is in a page itself, as source expressions of a Content-Security-Policy (CSP 3 §2.3.1), by which a browser knows
/// them: `'sha256-…'`.
public struct InlineSources: Sendable, Hashable {
    public internal(set) var styles: [String] = []
    public internal(set) var scripts: [String] = []

    public init() {}

    static func expression(for bytes: [UInt8]) -> String { "'sha256-\(Base64.text(of: SHA256.hash(data: bytes)))'" }
}
