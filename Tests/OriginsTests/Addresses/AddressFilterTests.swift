import Addresses
import Testing

@testable import Origins

@Suite struct AddressFilterTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255",
    ])
    func `an IPv4 address that is not public is refused`(_ text: String) throws {
        #expect(!AddressFilter().permits(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254",
        "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:db8::1",
        "2002:7f00:1::", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
    ])
    func `an IPv6 address that is not public is refused`(_ text: String) throws {
        #expect(!AddressFilter().permits(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888",
        "::ffff:1.1.1.1", "64:ff9b::8.8.8.8",
    ])
    func `a public address is permitted`(_ text: String) throws {
        #expect(AddressFilter().permits(try #require(IPAddress(text))))
    }

    @Test func `only allowed ranges are permitted in addition, also as IPv4-mapped addresses`() throws {
        let ranges = ["127.0.0.0/8", "fd00:1::/32"].compactMap(AddressRange.init)
        let filter = AddressFilter(allowing: ranges)
        for text in ["127.0.0.1", "::ffff:127.9.9.9", "fd00:1::5"] {
            #expect(filter.permits(try #require(IPAddress(text))), "\(text)")
        }
        for text in ["10.0.0.1", "fd00:2::5", "::1"] {
            #expect(!filter.permits(try #require(IPAddress(text))), "\(text)")
        }
    }
}
