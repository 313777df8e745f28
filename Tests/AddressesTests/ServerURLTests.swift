import Testing

@testable import Addresses

@Suite struct ServerURLTests {
    @Test func `a URL is split into its decoded parts`() throws {
        let url = try ServerURL("Postgres://an%40na:p%3Ass@[::1]:54/gallery?a=b")
        #expect(url.scheme == "postgres")
        #expect(url.user == "an@na" && url.password == "p:ss")
        #expect(url.host == "::1" && url.port == 54)
        #expect(url.path == "gallery" && url.query == "a=b")
        let bare = try ServerURL("x://")
        #expect(bare.host.isEmpty && bare.port == nil && bare.path.isEmpty && bare.query == nil && bare.user == nil)
    }

    @Test(arguments: [
        ("x", ServerURL.Invalid("say x://host")), ("x:/y", .init("say x://host")), ("x://y#z", .init("say x://host")),
        ("x://a:%zz@y", .credentials), ("x://a:%+5@y", .credentials),
        ("x://%00@y", .credentials), ("x://a b", .host), ("x://[::1", .host), ("x://y:0", .port),
        ("x://y:65536", .port),
    ]) func `the error for an invalid URL names the faulty part`(text: String, fault: ServerURL.Invalid) {
        #expect(throws: fault) { try ServerURL(text, form: "x://host") }
    }
}
