import Glibc
import Images
import Renditions
import Testing

@testable import Decoding

/// SVG is a kind of program. Here it may only draw.
@Suite struct DrawingTests {
    private let renderer = try! Renderer()

    private func tile(_ svg: String) throws -> Pixels {
        let rendered = try renderer.render(.bytes(Array(svg.utf8)), as: .tile, format: .jpeg, stop: RenderStop())
        return try Pixels.decoding(rendered.bytes)
    }

    @Test func `a drawing fills the tile, even if its nominal size is small`() throws {
        let drawn = try tile(
            "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='8'><rect width='16' height='8' fill='#d11'/></svg>"
        )
        #expect((drawn.width, drawn.height) == (320, 160))
        #expect(drawn.quarterNames == "RRRR")
    }

    @Test(arguments: [
        "width='1e20' height='1'", "width='1e308in' height='1'", "width='1e18' height='1e18'",
        "viewBox='0 0 1e300 1e-300'", "width='1' height='1e40' viewBox='0 0 1 1'",
    ])
    func `a drawing of any size is drawn or refused`(size: String) {
        let drawn = try? tile("<svg xmlns='http://www.w3.org/2000/svg' \(size)><rect width='9' height='9'/></svg>")
        #expect(drawn.map { max($0.width, $0.height) <= 320 } ?? true)
    }

    @Test func `a drawing cannot show a file or fetch anything`() throws {
        let path = "/tmp/tessera-secret-\(getpid()).png"
        let secret = Sample.png(Sample.quarters(width: 40, height: 20))
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        _ = secret.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        defer { unlink(path) }
        for reference in ["file://\(path)", path, "tessera-secret-\(getpid()).png", "http://127.0.0.1:9/x.png"] {
            let drawn = try tile(
                """
                <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20">
                <rect width="40" height="20" fill="#11d"/><image xlink:href="\(reference)" width="40" height="20"/></svg>
                """)
            #expect(drawn.quarterNames == "BBBB", "\(reference)")
        }
        let entity = """
            <?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
            <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text y="10">&x;</text>\
            <rect width="40" height="20" fill="#11d"/></svg>
            """
        if let drawn = try? tile(entity) { #expect(drawn.quarterNames == "BBBB") }
    }

    @Test func `entity expansion bombs and files of many bytes are rejected`() {
        var swelling = "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a0 'aaaaaaaaaa'>"
        for level in 1...12 {
            let references = String(repeating: "&a\(level - 1);", count: 10)
            swelling += "<!ENTITY a\(level) '\(references)'>"
        }
        swelling += "]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>&a12;</text></svg>"
        #expect(throws: RenderError.self) { try tile(swelling) }
        let long =
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
            + String(repeating: " ", count: 5 << 20) + "</svg>"
        let error = #expect(throws: RenderError.self) { try tile(long) }
        #expect(error?.reason == .tooLarge)
    }
}
