import Testing

@testable import Addresses

@Suite struct ServerURLTests {
    @Test func `a URL tells its parts`() throws {
        let url = try ServerURL("Postgres://an%40na:p%3Ass@[::1]:54/gallery?a=b")
        #expect(url.scheme == "postgres")
        #expect(url.user == "an@na" && url.password == "p:ss")
        #expect(url.host == "::1" && url.port == 54)
        #expect(url.path == "gallery" && url.query == "a=b")
        let bare = try ServerURL("x://")
        #expect(bare.host.isEmpty && bare.port == nil && bare.path.isEmpty && bare.query == nil && bare.user == nil)
    }

    @Test(arguments: [
        ("x", ServerURL.Fault.shape), ("x:/y", .shape), ("x://y#z", .shape), ("x://a:%zz@y", .credentials),
        ("x://%00@y", .credentials), ("x://a b", .host), ("x://[::1", .host), ("x://y:0", .port),
        ("x://y:65536", .port),
    ]) func `what cannot be read is told by its part`(text: String, fault: ServerURL.Fault) {
        #expect(throws: fault) { try ServerURL(text) }
    }
}
