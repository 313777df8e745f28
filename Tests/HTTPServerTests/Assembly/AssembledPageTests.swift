import Crypto
import Foundation
import Testing

@testable import HTTPServer

@Suite struct AssembledPageTests {
    private func page(_ files: [String: String], scripts: [String] = []) throws(AssemblyError) -> AssembledPage {
        try AssembledPage(files.mapValues { Array($0.utf8) }, page: "/index.html", scripts: scripts)
    }

    private static let html = """
        <head>
          <link rel="stylesheet" href="/a.css">
          <link rel="stylesheet" href="/b.css">
          <script type="module" src="/main.js"></script>
        </head>
        """

    private static let files = [
        "/index.html": html,
        "/a.css": "/* one */\na {\n  content: '/* no comment */';\n}\n",
        "/b.css": "b { color: red }\n",
        "/main.js": """
        import { twice } from './inner/twice.js';
        import { log } from './log.js';
        log('main ' + twice(21));
        new Worker(new URL('./inner/worker.js', import.meta.url));
        """,
        "/inner/twice.js": "import { log } from '../log.js';\nlog('twice');\nexport const twice = (n) => 2 * n;\n",
        "/inner/worker.js": "import { twice } from './twice.js';\ntwice(1);\n",
        "/log.js": "export function log(text) { globalThis.print(text); }\nlog('log');\n",
    ]

    private func text(_ page: AssembledPage, _ end: String) throws -> (address: String, text: String) {
        let (address, bytes) = try #require(page.assets.first { $0.key.hasSuffix(end) })
        return (address, String(decoding: bytes, as: UTF8.self))
    }

    @Test func `the styles are in the page, known by their digest, and the script is named by its content`() throws {
        let page = try page(Self.files)
        let text = String(decoding: page.page, as: UTF8.self)
        let styles = "a {\ncontent: '/* no comment */';\n}\nb { color: red }\n"
        #expect(text.contains("<style>\n\(styles)</style>") || text.contains("<style>\(styles)</style>"))
        let inner = try #require(text.split(separator: "<style>").last?.split(separator: "</style>").first)
        let digest = Data(SHA256.hash(data: Data(inner.utf8))).base64EncodedString()
        #expect(page.inline.styles == ["'sha256-\(digest)'"] && page.inline.scripts.isEmpty)
        let main = try self.text(page, "/main.js")
        #expect(text.contains("<script type=\"module\" src=\"\(main.address)\"></script>"))
        #expect(!text.contains("stylesheet"))
    }

    @Test func `a script that is to be run at once is in the page, known by its digest`() throws {
        var files = Self.files
        files["/ahead.js"] = "/* at once */\nfetch('/api');\n"
        files["/index.html"] = files["/index.html"]?.replacing(
            "</head>", with: "<script src=\"/ahead.js\"></script>\n</head>")
        let page = try page(files)
        let text = String(decoding: page.page, as: UTF8.self)
        let inner = try #require(text.split(separator: "<script>").last?.split(separator: "</script>").first)
        #expect(inner.contains("fetch('/api');") && !text.contains("src=\"/ahead.js\""))
        let digest = Data(SHA256.hash(data: Data(inner.utf8))).base64EncodedString()
        #expect(page.inline.scripts == ["'sha256-\(digest)'"])
    }

    @Test func `another content has another address, and so has all that names it`() throws {
        var files = Self.files
        files["/inner/twice.js"]? += "// a comment\n"
        #expect(try page(files).assets.keys.sorted() == page(Self.files).assets.keys.sorted())
        files["/inner/worker.js"]? += "twice(2);\n"
        let (before, after) = (try page(Self.files), try page(files))
        #expect(Set(before.assets.keys).isDisjoint(with: after.assets.keys))
        #expect(before.page != after.page)
    }

    @Test func `modules run once each, what is imported first`() throws {
        let page = try page(Self.files, scripts: ["/inner/worker.js", "/none.js"])
        let main = try text(page, "/main.js").text
        let modules = main.split(separator: "\n").filter { $0.hasPrefix("// ") }
        #expect(modules == ["// /log.js", "// /inner/twice.js", "// /main.js"])
        #expect(main.contains("'\(try text(page, "/inner/worker.js").address)'"))
        #expect(page.scripts.keys.sorted() == ["/inner/worker.js"])
        #expect(page.scripts["/inner/worker.js"] == page.assets[try text(page, "/inner/worker.js").address])
    }

    @Test func `modules that import each other are told in their order`() {
        let files = [
            "/index.html": Self.html, "/a.css": "", "/b.css": "", "/main.js": "import './a.js';",
            "/a.js": "import './b.js';", "/b.js": "import './a.js';",
        ]
        #expect(throws: AssemblyError.circle(["/a.js", "/b.js", "/a.js"])) { try page(files) }
    }

    @Test func `a file that is missing or not understood is told with who names it`() throws {
        var files = Self.files
        files["/log.js"] = nil
        #expect(throws: AssemblyError.missing("/log.js", namedBy: "/inner/twice.js")) { try page(files) }
        files["/log.js"] = "\nexport default 1;"
        let told = #expect(throws: AssemblyError.self) { try page(files) }
        #expect(told?.description.hasPrefix("/log.js:2: ") == true)
        files["/b.css"] = nil
        #expect(throws: AssemblyError.missing("/b.css", namedBy: "/index.html")) { try page(files) }
    }
}
