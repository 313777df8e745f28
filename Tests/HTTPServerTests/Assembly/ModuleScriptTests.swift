import Testing

@testable import HTTPServer

@Suite struct ModuleScriptTests {
    private func script(_ text: String) throws -> ModuleScript { try ModuleScript(Array(text.utf8)) }

    private func text(of script: ModuleScript) -> String {
        script.pieces.map { piece in
            switch piece {
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .url(let specifier): "<\(specifier)>"
            }
        }.joined()
    }

    @Test func `imports are taken out, whatever their form`() throws {
        let script = try script(
            """
            import { a, b as c } from './a.js';
            import * as d from "../d.js"
            import '/run.js';
            import {
              e, // a comment
            } from './e.js';
            a(c, d, e);
            """)
        #expect(
            script.imports == [
                .init(specifier: "./a.js", binding: "{ a, b: c }"), .init(specifier: "../d.js", binding: "d"),
                .init(specifier: "/run.js", binding: nil), .init(specifier: "./e.js", binding: "{ e }"),
            ])
        #expect(text(of: script).split(separator: "\n") == ["a(c,d,e);"])
    }

    @Test func `exports are named, and their declarations stay`() throws {
        let script = try script(
            """
            export class A {}
            export function b() {}
            export async function c() {}
            export function* d() {}
            export const e = 1;
            const f = 2;
            export { f, f as g };
            """)
        #expect(script.exports == ["A", "b", "c", "d", "e", "f", "g: f"])
        #expect(text(of: script).hasPrefix("class A{}\nfunction b(){}\nasync function c(){}\nfunction*d(){}\n"))
        #expect(!text(of: script).contains("export"))
    }

    @Test func `comments are left out, and white space where it makes no difference`() throws {
        let script = try script("/** What\n * it is. */\nlet a = 1 // one\n\n  let b = `  //\n  `; /* two */ b")
        #expect(text(of: script) == "let a=1\nlet b=`  //\n  `;b")
    }

    @Test(arguments: [
        ("a + +b - -c - - d", "a+ +b- -c- -d"), ("a / /b/g / c", "a / /b/g / c"), ("1 .toFixed()", "1 .toFixed()"),
        ("static #a = (b) => 'c' in { ...d };", "static#a=(b)=>'c' in{...d};"), ("a = b\n(c)", "a=b\n(c)"),
        ("return\na", "return\na"), ("a\n++b", "a\n++b"), ("a {\n  b,\n  c\n}\nd", "a{b,c}\nd"),
        ("a\n  ?.b()\n  .c()\n  && d", "a?.b().c()&&d"), ("a\n[b]", "a\n[b]"),
        ("if (a)\n  b;\nelse\n  c;", "if(a)\nb;else\nc;"),
        ("a = `b`\n`c`", "a=`b`\n`c`"), ("class A {\n  a = 1\n  *b() {}\n}", "class A{a=1\n*b(){}}"),
    ])
    func `white space stays where it makes a difference`(written: String, condensed: String) throws {
        #expect(text(of: try script(written)) == condensed)
    }

    @Test func `a file beside the module is told`() throws {
        let script = try script("new Worker(new URL('./w.js', import.meta.url), {});\nnew URL('./a', location.href);")
        #expect(script.pieces.contains(.url(specifier: "./w.js")))
        #expect(text(of: script) == "new Worker(<./w.js>,{});new URL('./a',location.href);")
    }

    @Test func `words that only look like statements stay`() throws {
        let text = "a.import(b);const c={export:1};c.export;"
        #expect(self.text(of: try script(text)) == text)
    }

    @Test(arguments: [
        "import('./a.js');", "import a from './a.js';", "f(import.meta.url);", "\nexport default 1;",
        "export let a = 1;", "export * from './a.js';", "import { a } './a.js';", "import { a",
    ])
    func `what is not understood is an error`(text: String) {
        #expect(throws: ScriptError.self) { try script(text) }
    }
}
