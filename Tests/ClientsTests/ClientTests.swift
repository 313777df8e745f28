import Addresses
import Clients
import Testing

@Suite struct ClientTests {
    private func client(_ text: String) throws -> ClientAddress { ClientAddress(try #require(IPAddress(text))) }

    @Test func `an IPv4 address is one client, even when mapped to IPv6`() throws {
        #expect(try client("192.0.2.1") == client("::ffff:192.0.2.1"))
        #expect(try client("192.0.2.1") != client("192.0.2.2"))
        #expect(try client("::ffff:192.0.2.1").description == "192.0.2.1")
    }

    @Test func `an IPv6 network of 64 bits is one client`() throws {
        #expect(try client("2001:db8:0:1::1") == client("2001:db8:0:1:ffff::2"))
        #expect(try client("2001:db8:0:1::1") != client("2001:db8:0:2::1"))
        #expect(try client("2001:db8:0:1::1").description == "2001:db8:0:1::/64")
    }

    @Test func `the IPv6 networks of one site belong together`() throws {
        #expect(try client("2001:db8:0:1::1").site == client("2001:db8:0:ffff::2").site)
        #expect(try client("2001:db8:0:1::1").site != client("2001:db8:1:1::1").site)
        #expect(try client("192.0.2.1").site != client("192.0.2.2").site)
        #expect(try client("::1").site != client("::2").site)
    }

    @Test func `each IPv6 loopback address is a client of its own`() throws {
        #expect(try client("::1") != client("::2"))
        #expect(try client("::1").description == "::1")
    }
}

@Suite struct TallyTests {
    @Test func `each holder has its own limit`() {
        var tally = Tally<String>()
        let taken = [
            tally.take(3, for: "a", upTo: 3), tally.take(for: "a", upTo: 3), tally.take(for: "b", upTo: 3),
            tally.take(.max, for: "b", upTo: .max),
        ]
        #expect(taken == [true, false, true, false])
        #expect(tally["a"] == 3 && tally["b"] == 1)
    }

    @Test func `returned units can be taken again, and a holder without any is forgotten`() {
        var tally = Tally<String>()
        let first = tally.take(2, for: "a", upTo: 2)
        tally.giveBack(by: "a")
        let second = tally.take(for: "a", upTo: 2)
        #expect(first && second)
        tally.giveBack(2, by: "a")
        #expect(tally["a"] == 0 && tally.holderCount == 0)
    }
}
