import Addresses
import Clients
import Images
import Loading
import Renditions
import TestSupport
import Testing

@testable import Cluster
@testable import Loading

@Suite struct RelayMessageTests {
    private static let node = NodeTag(rawValue: 0xdead_beef)
    private static let session = SessionID(of: node)
    private static let tokens = (0..<3).map { _ in Token(of: node) }
    private static let clients = [
        Client(.v4(0x7f00_0001)), Client(.v6(1)), Client(.v6(0x2001_0db8_0000_0001 << 64 | 7)),
    ]

    private static func order(_ client: Client, _ count: Int = 2) -> RelayedOrder {
        RelayedOrder(
            session: session, client: client, rendition: .step640, format: .avif, isVisible: true, insists: false,
            slots: (0..<count).map { .init(number: $0 + 1 << 52, image: ImageID(rawValue: UInt64($0))) })
    }

    private static let bodies: [RelayMessage.Body] =
        clients.map { .issue(order($0)) }
        + [
            .issue(order(clients[0], RelayMessage.mostSlots)), .cancel(nil, in: session, for: clients[2]),
            .cancel(tokens, in: session, for: clients[0]), .cancel([], in: session, for: clients[1]),
            .cancel((0..<RelayMessage.mostTokens).map { _ in Token(of: node) }, in: session, for: clients[0]),
            .borrow(tokens[0], image: ImageID(rawValue: .max), .original), .renew(tokens), .renewed([]),
            .issued([tokens[0], nil, tokens[1]]), .cancelled(1_000), .crowded, .ended(tokens[0], .failed),
            .recall(tokens[2]), .stopped, .lending(.lent(format: .webp, insists: true)), .lending(.cancelled),
            .lending(.refused(.unknown)), .lending(.refused(.otherPicture)), .lending(.refused(.used)),
        ]

    @Test(arguments: bodies) func `a message is read as it was written`(body: RelayMessage.Body) {
        let message = RelayMessage(sender: Self.node, number: .max - 1, body: body)
        #expect(message.bytes.count <= RelayMessage.longest)
        #expect(RelayMessage(message.bytes) == message)
        #expect(RelayMessage(message.bytes + [0]) == nil, "something follows")
        for count in 0..<min(message.bytes.count, 300) {
            #expect(RelayMessage(Array(message.bytes.prefix(count))) == nil, "it ends after \(count)")
        }
    }

    @Test func `a failure is told without what the log alone has`() {
        let failure = LoadFailure(
            status: 502, publicMessage: "Away.", logDetail: "secret", retryAfter: .seconds(3), isPermanent: true)
        let message = RelayMessage(sender: Self.node, number: 1, body: .lending(.failed(failure)))
        guard case .lending(.failed(let read))? = RelayMessage(message.bytes)?.body else {
            return #expect(Bool(false), "it was not read")
        }
        #expect(read.status == 502 && read.publicMessage == "Away." && read.retryAfter == .seconds(3))
        #expect(!String(decoding: message.bytes, as: UTF8.self).contains("secret"))
    }

    @Test func `what is beyond a bound is no message`() {
        let tooMany = (0...RelayMessage.mostTokens).map { _ in Token(of: Self.node) }
        var negative = Self.order(Self.clients[0])
        negative.slots[0].number = -1
        var huge = negative
        huge.slots[0].number = 1 << 53
        let bodies: [RelayMessage.Body] = [
            .renew(tooMany), .cancel(tooMany, in: Self.session, for: Self.clients[0]), .issue(negative), .issue(huge),
            .issue(Self.order(Self.clients[0], RelayMessage.mostSlots + 1)), .issue(Self.order(Self.clients[0], 0)),
            .issued(tooMany),
        ]
        for body in bodies {
            #expect(RelayMessage(RelayMessage(sender: Self.node, number: 1, body: body).bytes) == nil, "\(body)")
        }
        #expect(RelayMessage([UInt8](repeating: 0, count: RelayMessage.longest + 1)) == nil)
    }

    @Test func `any bytes are read or are no message, and what is read is written so that it is read as the same`() {
        var random = SeededRandom(seed: 1)
        let written = Self.bodies.map { RelayMessage(sender: Self.node, number: 7, body: $0).bytes }
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
            guard let message = RelayMessage(bytes) else { continue }
            read += 1
            #expect(RelayMessage(message.bytes) == message)
        }
        #expect(read > 1_000)
        for _ in 0..<20_000 {
            _ = RelayMessage((0..<random.number(below: 80)).map { _ in UInt8(random.number(below: 256)) })
        }
    }
}
