import Addresses
import Clients
import Testing

@Suite struct ClientTextTests {
    @Test func `a client is parsed from its canonical text and from no other form`() throws {
        for text in ["192.0.2.1", "::1", "2001:db8:0:1::/64"] {
            #expect(Client(text)?.description == text)
        }
        let others = [
            "", "192.0.2.1/32", "2001:db8:0:1::", "2001:db8:0:1::1/64", "2001:DB8:0:1::/64", "::ffff:192.0.2.1",
            "::1/64",
            "2001:db8:0:1::/64/", "2001:db8:0:1::/6",
        ]
        for text in others { #expect(Client(text) == nil, "\(text)") }
    }
}
