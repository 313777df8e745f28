import Addresses
import Clients
import EventLoops
import HTTPTypes
import Testing

@testable import GalleryServer
@testable import HTTPServer

@Suite struct ProxyTrustTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop(label: "test") }

    /// The client of a request from `peer` with these `X-Forwarded-For` lines.
    private func client(_ peer: String, _ lines: String..., trusting: [String]) throws -> String {
        let trust = try ProxyTrust(trusting)
        let peer = try #require(SocketAddress(IPAddress(peer)))
        guard trust.isProxy(peer) else { return peer.client.description }
        var fields = HTTPFields()
        for line in lines { fields.append(HTTPField(name: .xForwardedFor, value: line)) }
        let request = try Request(.get, "/", headers: fields, loop: loop)
        return trust.client(behind: peer, request.headers).description
    }

    @Test func `forwarded addresses from an untrusted peer are ignored`() throws {
        #expect(try client("192.0.2.1", "198.51.100.1", trusting: []) == "192.0.2.1")
        #expect(try client("192.0.2.1", "198.51.100.1", trusting: ["10.0.0.0/8"]) == "192.0.2.1")
    }

    @Test func `behind trusted proxies the client is the last untrusted address of the list`() throws {
        let trusting = ["10.0.0.0/8"]
        #expect(try client("10.0.0.1", "198.51.100.1", trusting: trusting) == "198.51.100.1")
        #expect(try client("10.0.0.1", "1.1.1.1, 198.51.100.1", trusting: trusting) == "198.51.100.1")
        #expect(try client("10.0.0.1", "1.1.1.1", "198.51.100.1 , 10.0.0.2", trusting: trusting) == "198.51.100.1")
        #expect(try client("::ffff:10.0.0.1", "198.51.100.1", trusting: trusting) == "198.51.100.1")
    }

    @Test func `ports and brackets are removed from forwarded addresses`() throws {
        let trusting = ["::1", "127.0.0.1"]
        #expect(try client("::1", "198.51.100.1:4711", trusting: trusting) == "198.51.100.1")
        #expect(try client("127.0.0.1", "[2001:db8::7]:4711", trusting: trusting) == "2001:db8::/64")
        #expect(try client("127.0.0.1", "2001:db8::7", trusting: trusting) == "2001:db8::/64")
    }

    @Test(arguments: ["", "unknown", "_hidden", ",", "1.2.3", "[::1"])
    func `with an unreadable list the proxy itself counts as the client`(list: String) throws {
        #expect(try client("127.0.0.1", list, trusting: ["127.0.0.1"]) == "127.0.0.1")
    }

    @Test func `an invalid network is rejected with the option's name`() {
        #expect(throws: ProxyTrust.UnknownRange.self) { try ProxyTrust(["10.0.0.0/40"]) }
        #expect(ProxyTrust.UnknownRange(text: "x").description.hasPrefix("--trusted-proxy x"))
    }
}

extension SocketAddress {
    fileprivate init?(_ address: IPAddress?) {
        switch address {
        case .v4(let bits): self.init(ip: .v4(bits), port: 1)
        case .v6(let bits):
            self.init(
                ip: .v6(UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits), zone: 0), port: 1)
        case nil: return nil
        }
    }
}
