import Addresses
import Clients
import Images
import Loading
import Renditions
import TestSupport
import Testing

@testable import Cluster
@testable import Loading

@Suite struct NodeMessageTests {
    private static let node = NodeTag(rawValue: 0xdead_beef)
    private static let session = SessionID(of: node)
    private static let tokens = (0..<3).map { _ in Token(of: node) }
    private static let clients = [
        Client(.v4(0x7f00_0001)), Client(.v6(1)), Client(.v6(0x2001_0db8_0000_0001 << 64 | 7)),
    ]

    private static func order(_ client: Client, _ count: Int = 2) -> ForwardedTokenRequest {
        ForwardedTokenRequest(
            session: session, client: client, rendition: .step640, format: .avif, isVisible: true,
            bypassesNegativeCache: false,
            slots: (0..<count).map { .init(number: $0 + 1 << 52, image: ImageID(rawValue: UInt64($0))) })
    }

    private static let bodies: [NodeMessage.Body] =
        clients.map { .issue(order($0)) }
        + [
            .issue(order(clients[0], NodeMessage.maximumSlots)), .cancel(nil, in: session, for: clients[2]),
            .cancel(tokens, in: session, for: clients[0]), .cancel([], in: session, for: clients[1]),
            .cancel((0..<NodeMessage.maximumTokens).map { _ in Token(of: node) }, in: session, for: clients[0]),
            .requestForwarding(tokens[0], image: ImageID(rawValue: .max), .original), .renew(tokens), .renewed([]),
            .issued([tokens[0], nil, tokens[1]]), .cancelled(1_000), .overloaded, .ended(tokens[0], .failed),
            .revoke(tokens[2]), .stopped, .reply(.permitted(format: .webp, bypassesNegativeCache: true)),
            .reply(.cancelled),
            .reply(.refused(.unknown)), .reply(.refused(.otherPicture)), .reply(.refused(.used)),
        ]

    @Test(arguments: bodies) func `a message round-trips unless truncated or extended`(body: NodeMessage.Body) {
        let message = NodeMessage(sender: Self.node, number: .max - 1, body: body)
        #expect(message.bytes.count <= NodeMessage.maximumBytes)
        #expect(NodeMessage(message.bytes) == message)
        #expect(NodeMessage(message.bytes + [0]) == nil, "bytes follow the message")
        for count in 0..<min(message.bytes.count, 300) {
            #expect(NodeMessage(Array(message.bytes.prefix(count))) == nil, "truncated to \(count) bytes")
        }
    }

    @Test func `an encoded failure contains no log detail`() {
        let failure = LoadFailure(
            status: 502, publicMessage: "Away.", logDetail: "secret", retryAfter: .seconds(3), isPermanent: true)
        let message = NodeMessage(sender: Self.node, number: 1, body: .reply(.failed(failure)))
        guard case .reply(.failed(let read))? = NodeMessage(message.bytes)?.body else {
            return #expect(Bool(false), "the message was rejected")
        }
        #expect(read.status == 502 && read.publicMessage == "Away." && read.retryAfter == .seconds(3))
        #expect(!String(decoding: message.bytes, as: UTF8.self).contains("secret"))
    }

    @Test func `a message beyond a limit is rejected`() {
        let tooMany = (0...NodeMessage.maximumTokens).map { _ in Token(of: Self.node) }
        var negative = Self.order(Self.clients[0])
        negative.slots[0].number = -1
        var huge = negative
        huge.slots[0].number = 1 << 53
        let bodies: [NodeMessage.Body] = [
            .renew(tooMany), .cancel(tooMany, in: Self.session, for: Self.clients[0]), .issue(negative), .issue(huge),
            .issue(Self.order(Self.clients[0], NodeMessage.maximumSlots + 1)), .issue(Self.order(Self.clients[0], 0)),
            .issued(tooMany),
        ]
        for body in bodies {
            #expect(NodeMessage(NodeMessage(sender: Self.node, number: 1, body: body).bytes) == nil, "\(body)")
        }
        #expect(NodeMessage([UInt8](repeating: 0, count: NodeMessage.maximumBytes + 1)) == nil)
    }

    @Test func `corrupted messages are rejected or decode to messages that round-trip`() {
        var random = SeededRandom(seed: 1)
        let written = Self.bodies.map { NodeMessage(sender: Self.node, number: 7, body: $0).bytes }
            .filter { $0.count < 200 }
        var read = 0
        for round in 0..<20_000 {
            var bytes = written[round % written.count]
            for _ in 0...random.number(below: 4) {
                let place = random.number(below: bytes.count)
                switch random.number(below: 4) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8(random.number(below: 256)), at: place)
                default: bytes[place] = UInt8(random.number(below: 256))
                }
            }
            guard let message = NodeMessage(bytes) else { continue }
            read += 1
            #expect(NodeMessage(message.bytes) == message)
        }
        #expect(read > 1_000)
        for _ in 0..<20_000 {
            _ = NodeMessage((0..<random.number(below: 80)).map { _ in UInt8(random.number(below: 256)) })
        }
    }
}
