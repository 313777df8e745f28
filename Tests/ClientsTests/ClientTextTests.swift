import Addresses
import Clients
import Testing

@Suite struct ClientTextTests {
    @Test func `an address is parsed from its canonical text and from no other form`() throws {
        for text in ["192.0.2.1", "::1", "2001:db8:0:1::/64"] {
            #expect(ClientAddress(text)?.description == text)
        }
        let others = [
            "", "192.0.2.1/32", "2001:db8:0:1::", "2001:db8:0:1::1/64", "2001:DB8:0:1::/64", "::ffff:192.0.2.1",
            "::1/64",
            "2001:db8:0:1::/64/", "2001:db8:0:1::/6",
        ]
        for text in others { #expect(ClientAddress(text) == nil, "\(text)") }
    }

    @Test func `a client is parsed from its text and from no other form`() throws {
        let address = try #require(ClientAddress("2001:db8:0:1::/64"))
        let clients: [Client] = [.address(address), .account(0), .account(.max)]
        for client in clients { #expect(Client("\(client)") == client, "\(client)") }
        let others = [
            "", "account:", "account:-1", "account:+1", "account:01", "account:4294967296", "account", "Account:1",
            "owner:1", "192.0.2.1:80",
        ]
        for text in others { #expect(Client(text) == nil, "\(text)") }
    }
}
