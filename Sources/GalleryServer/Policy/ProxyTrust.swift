import Addresses
import Clients
import HTTPServer
import HTTPTypes

/// Which reverse proxies are trusted to name the client of a request.
///
/// A proxy appends the address of its peer to `X-Forwarded-For`. The list is therefore read from its end for as long
/// as its authors are trusted; anyone may have written the entries before that. `Forwarded` (RFC 7239) is ignored,
/// because a proxy that writes one of these two fields passes the other on as the client wrote it.
struct ProxyTrust: ClientIdentifying {
    private let trusted: [AddressRange]

    /// - Throws: ``UnknownRange`` for a text that is not a network in CIDR notation.
    init(_ networks: [String]) throws(UnknownRange) {
        var trusted: [AddressRange] = []
        for text in networks {
            guard let range = AddressRange(text) else { throw UnknownRange(text: text) }
            trusted.append(range)
        }
        self.trusted = trusted
    }

    struct UnknownRange: Error, CustomStringConvertible {
        let text: String
        var description: String { "--trusted-proxy \(text): write an address or a network, such as 10.0.0.0/8" }
    }

    func isProxy(_ peer: SocketAddress) -> Bool { !trusted.isEmpty && isTrusted(peer.address) }

    func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> ClientAddress {
        var last = proxy.address
        let named = headers.values(of: .xForwardedFor).flatMap { $0.split(separator: ",") }
        for text in named.reversed() {
            guard let address = Self.address(in: text) else { break }
            last = address
            if !isTrusted(address) { break }
        }
        return ClientAddress(last)
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        // A dual-stack socket reports IPv4 addresses in mapped form.
        let plain = address.unmapped
        return trusted.contains { $0.contains(plain) }
    }

    /// An address, perhaps with the port that some proxies add: `192.0.2.1:80`, `[2001:db8::1]:80`.
    private static func address(in text: Substring) -> IPAddress? {
        let text = text.filter { $0 != " " && $0 != "\t" }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        return IPAddress(text) ?? text.firstIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
    }
}

extension HTTPField.Name {
    static let xForwardedFor = Self("X-Forwarded-For")!
}
