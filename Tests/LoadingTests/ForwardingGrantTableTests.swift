import Addresses
import Clients
import Glibc
import Images
import Renditions
import Testing

@testable import Loading

@Suite struct ForwardingGrantTableTests {
    private func grant(of client: Client, until: Duration = .seconds(1)) -> ForwardingGrantTable.Grant {
        ForwardingGrantTable.Grant(
            forwarder: NodeTag(), session: SessionID(of: NodeTag()), client: client, until: until)
    }

    @Test func `the number of grants is limited for each client separately`() {
        var table = ForwardingGrantTable()
        let tokens = (0..<4).map { _ in Token(of: NodeTag()) }
        let owners: [Client] = [.one, .one, .one, .other]
        let added = zip(tokens, owners).map { table.add(grant(of: $1), of: $0, upTo: 2) }
        #expect(added == [true, true, false, true] && table.count == 3 && table[tokens[2]] == nil)
        let removed = (0..<2).map { _ in table.remove(tokens[0])?.client }
        #expect(removed == [.one, nil])
        let isAdded = table.add(grant(of: .one), of: tokens[2], upTo: 2)
        #expect(isAdded && table.count == 3)
        for token in tokens { table.remove(token) }
        #expect(table.isEmpty)
    }

    @Test func `a grant expires unless it is extended`() {
        var table = ForwardingGrantTable()
        let tokens = (0..<2).map { _ in Token(of: NodeTag()) }
        for token in tokens { _ = table.add(grant(of: .one), of: token, upTo: 2) }
        table.extend(tokens[0], until: .seconds(3))
        #expect(table.lapsed(by: .seconds(1)).isEmpty && table.lapsed(by: .seconds(2)) == [tokens[1]])
    }

    /// The lock must not be held for long, because every frame sent waits for it.
    @Test func `granting a token takes no longer when thousands are already granted`() throws {
        let registry = TokenRegistry(loader: MockLoader(), time: HeldTime())
        let image = GalleryImage(
            id: ImageID(rawValue: 1), name: "", location: .remote(url: ""), version: nil, metadata: ImageMetadata())
        let request = LoadRequest(image: image, rendition: .tile, format: .avif)
        let tokens = (0..<10 as Range<UInt32>).flatMap { client in
            let requests = (0..<400).map { TokenRegistry.TokenRequest(slot: $0, request: request) }
            return registry.issue(requests, client: Client(.v4(client))).tokens.map(\.token)
        }
        let times = tokens.map { token in
            let before = Self.spent()
            let reply = registry.grantForwarding(token, image: image.id, rendition: .tile, to: NodeTag())
            guard case .permitted = reply else { return -1.0 }
            return Self.spent() - before
        }
        #expect(registry.permittedCount == 4_000 && !times.contains(-1))
        let (first, last) = (times.prefix(400).reduce(0, +), times.suffix(400).reduce(0, +))
        #expect(last < 4 * first, "\(last / first) times as long")
    }

    /// The processor time of this thread in seconds.
    private static func spent() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
