import Addresses
import Testing

@Suite struct AddressRangeTests {
    @Test func `a network contains the addresses that share its prefix`() throws {
        let range = try #require(AddressRange("10.1.0.0/16"))
        #expect(range.contains(try #require(IPAddress("10.1.255.255"))))
        #expect(!range.contains(try #require(IPAddress("10.2.0.0"))))
        #expect(!range.contains(try #require(IPAddress("::1"))))
    }

    @Test func `zero-length and full-length prefixes work`() throws {
        let anything = try #require(AddressRange("0.0.0.0/0"))
        let one = try #require(AddressRange("::1"))
        #expect(anything.contains(try #require(IPAddress("255.1.2.3"))))
        #expect(one.contains(try #require(IPAddress("::1"))))
        #expect(!one.contains(try #require(IPAddress("::2"))))
        #expect(try #require(AddressRange("::/0")).contains(try #require(IPAddress("fe80::1"))))
    }

    @Test(arguments: ["", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::/129", "ten"])
    func `an invalid network is rejected`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite struct IPAddressTests {
    @Test(arguments: ["1.2.3.4", "::1", "2001:db8::ff00:42:8329", "::"])
    func `an address round-trips`(_ text: String) throws {
        #expect(try #require(IPAddress(text)).description == text)
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", ":::", "localhost", "127.1"])
    func `an invalid address is rejected`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
