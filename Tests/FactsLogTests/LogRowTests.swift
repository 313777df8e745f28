import Catalog
import EventLoops
import Images
import Logging
import Postgres
import TestSupport
import Testing

@testable import FactsLog

/// Two nodes' dealings with one log, on a loop as they have to be.
actor Log {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let connector: PostgresConnector
    private var sessions: [LogSession] = []

    init(_ server: PostgresServer) throws {
        loop = try EventLoop(label: "test.log")
        connector = try PostgresConnector(PostgresAddress(server.url()), loop: loop)
    }

    func open() async throws {
        for node in 1...2 {
            let connection = try await connector.connect()
            let session = LogSession(connection, gallery: "test", node: Int64(node), pace: PostgresFactsLog.Pace())
            sessions.append(try await session.begun())
        }
    }

    /// - Returns: those that it refuses.
    func tell(_ facts: [SharedFacts]) async throws -> [SharedFacts] { try await sessions[0].tell(facts) }

    /// By the other node.
    func tellBack(_ facts: [SharedFacts]) async throws -> [SharedFacts] { try await sessions[1].tell(facts) }

    func heard(after position: Int64) async throws -> LogSession.Heard { try await sessions[1].heard(after: position) }

    /// By the node that tells.
    func heardBack(after position: Int64) async throws -> LogSession.Heard {
        try await sessions[0].heard(after: position)
    }

    func close() async {
        for session in sessions { session.connection.close() }
        await loop.stop()
    }
}

@Suite(.serialized, .enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(2))) struct LogRowTests {
    private static var everything: ImageFacts {
        var facts = ImageFacts()
        (facts.width, facts.height, facts.frames, facts.orientation, facts.rating) = (4_032, 3_024, 3, 6, -1)
        facts.mediaType = "image/jpeg"
        facts.byteCount = 5_000_000_000
        facts.placeholder = [0, 255, 128, 7]
        facts.takenAt = "2019-06-01T10:00:00+02:00"
        (facts.isIncomplete, facts.isBroken) = (true, false)
        facts.title = "Ærø, \"at\" night\\ \u{1F426}\nand day"
        facts.keywords = ["sea", "night sky"]
        facts.examination = 2
        facts.digest = ContentDigest(rawValue: .max)
        var camera = ImageFacts.Camera()
        (camera.make, camera.model, camera.lens) = ("Lumix", "G9", "12-60")
        (camera.exposureTime, camera.aperture, camera.sensitivity, camera.focalLength) = (0.008, 2.8, 200, 12)
        facts.camera = camera
        facts.place = ImageFacts.Place(latitude: -54.8, longitude: 0.1 + 0.2, altitude: -3)
        var names = ImageFacts.PlaceNames()
        (names.location, names.city, names.state, names.country) = ("a", "b", "c", "d")
        facts.placeNames = names
        return facts
    }

    private func shared(_ image: UInt64, _ version: UInt64?, _ facts: ImageFacts) -> SharedFacts {
        SharedFacts(
            image: ImageID(rawValue: image), version: version.map { ContentVersion(rawValue: $0) }, facts: facts)
    }

    @Test func `all that is known of an image comes to the others as it was, and what is not known too`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        let told = [shared(.max, .max - 1, Self.everything), shared(1, nil, ImageFacts())]
        #expect(try await log.tell(told).isEmpty)
        let heard = try await log.heard(after: 0)
        #expect(heard.facts == told)
        #expect(heard.position == heard.head && !heard.hasMore)
        #expect(try await log.heard(after: heard.position).facts.isEmpty)

        // The same once more is no change; a text with a nought in it goes without.
        _ = try await log.tell(told)
        var strange = ImageFacts()
        strange.title = "a\0b"
        #expect(try await log.tell([shared(2, 1, strange)]).isEmpty)
        let later = try await log.heard(after: heard.position)
        #expect(later.facts.map(\.facts.title) == ["ab"])
        await log.close()
    }

    @Test func `facts of one content add up, and those of another take their place`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        var size = ImageFacts()
        (size.width, size.height, size.examination) = (4, 3, 2)
        var title = ImageFacts()
        (title.title, title.examination) = ("One", 1)
        _ = try await log.tell([shared(1, 1, size)])
        _ = try await log.tell([shared(1, 1, title)])
        let both = try #require(await log.heard(after: 0).facts.first).facts
        #expect(both.width == 4 && both.title == "One" && both.examination == 2)
        _ = try await log.tell([shared(1, 2, title)])
        let other = try #require(await log.heard(after: 0).facts.first)
        #expect(other.version?.rawValue == 2 && other.facts == title)
        await log.close()
    }

    @Test func `what several have told of an image, none having heard the others, each hears whole`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        var size = ImageFacts()
        (size.width, size.height) = (4, 3)
        var title = ImageFacts()
        title.title = "One"
        _ = try await log.tell([shared(1, 1, size)])
        _ = try await log.tellBack([shared(1, 1, title)])
        for heard in [try await log.heard(after: 0), try await log.heardBack(after: 0)] {
            #expect(heard.facts.map(\.facts.width) == [4] && heard.facts.map(\.facts.title) == ["One"])
        }
        // What is told again by one is still not his own.
        _ = try await log.tell([shared(1, 1, Self.everything)])
        let both = [try await log.heard(after: 0), try await log.heardBack(after: 0)]
        #expect(both[0].facts == both[1].facts && both[0].facts.map(\.facts.rating) == [-1])
        await log.close()
    }

    @Test func `a log is heard in parts, in the order of its changes`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        for part in 0..<3 {
            _ = try await log.tell((0..<400).map { shared(UInt64(part * 400 + $0), 1, ImageFacts()) })
        }
        var position: Int64 = 0
        var images: [UInt64] = []
        var parts = 0
        while true {
            let heard = try await log.heard(after: position)
            images += heard.facts.map(\.image.rawValue)
            position = heard.position
            parts += 1
            if !heard.hasMore { break }
        }
        #expect(images.sorted() == Array(0..<1_200) && parts == 3)
        await log.close()
    }
}
