import Testing

@testable import GalleryServer

@Suite struct HostPolicyTests {
    @Test(arguments: [
        ("localhost", true), ("localhost:8080", true), ("LOCALHOST", true), ("127.0.0.1:8080", true),
        ("127.1.2.3", true), ("[::1]:8080", true), ("gallery.home", true), ("evil.example", false),
        ("evil.example:8080", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false),
        ("192.168.1.2", false), ("[fe80::1]", false), ("", false), ("127.0.0.+1", false), ("127.0.0.1:8080", true),
        ("[127.0.0.1]", false), ("[127.0.0.1]evil.com", false), ("[::1]evil.com", false), ("[::1]:80", true),
        ("[::1", false), ("::1", false), ("[localhost]", false), ("localhost:", true), ("localhost:x", false),
        ("localhost:80:80", false), ("127.0.0.01", false), ("127.0.0.256", false), ("127.0.0.", false),
        ("127.0.0.1.", false), ("127.+0.0.1", false), ("[0:0::1]", true), ("[::1%25lo]", false),
    ])
    func `on loopback only the server's own names are accepted`(authority: String, admitted: Bool) {
        let policy = HostPolicy(listeningOn: "127.0.0.1", allowed: ["Gallery.home"])
        #expect(policy.admits(authority) == admitted)
    }

    @Test(arguments: ["127.1", "0x7f.0.0.1", "LocalHost", "0:0:0:0:0:0:0:1", "127.0.1.1"])
    func `loopback is recognised in any notation`(host: String) {
        #expect(!HostPolicy(listeningOn: host, allowed: []).admits("evil.example"))
    }

    @Test func `on the network every host name is accepted`() {
        #expect(HostPolicy(listeningOn: "0.0.0.0", allowed: []).admits("nas.local:8080"))
    }
}
