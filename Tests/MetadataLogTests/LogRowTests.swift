import Catalog
import EventLoops
import Images
import Logging
import Postgres
import TestSupport
import Testing

@testable import MetadataLog

/// Two nodes that share one log, confined to its event loop.
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
            let session = LogSession(connection, gallery: "test", node: Int64(node), pace: PostgresMetadataLog.Pace())
            sessions.append(try await session.begun())
        }
    }

    /// - Returns: The metadata that the database rejects.
    func publish(_ metadata: [SharedMetadata]) async throws -> [SharedMetadata] {
        try await sessions[0].publish(metadata)
    }

    /// The same by the other node.
    func tellBack(_ metadata: [SharedMetadata]) async throws -> [SharedMetadata] {
        try await sessions[1].publish(metadata)
    }

    func received(after position: Int64) async throws -> LogSession.Received {
        try await sessions[1].received(after: position)
    }

    /// The same by the node that publishes.
    func heardBack(after position: Int64) async throws -> LogSession.Received {
        try await sessions[0].received(after: position)
    }

    func known(_ contents: [ImageContent]) async throws -> [SharedMetadata] { try await sessions[0].known(contents) }

    func close() async {
        for session in sessions { session.connection.close() }
        await loop.stop()
    }
}

@Suite(.serialized, .enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(2))) struct LogRowTests {
    private static var everything: ImageMetadata {
        var metadata = ImageMetadata()
        (metadata.width, metadata.height, metadata.frames, metadata.orientation, metadata.rating) = (
            4_032, 3_024, 3, 6, -1
        )
        metadata.mediaType = "image/jpeg"
        metadata.byteCount = 5_000_000_000
        metadata.placeholder = [0, 255, 128, 7]
        metadata.takenAt = "2019-06-01T10:00:00+02:00"
        (metadata.isIncomplete, metadata.isBroken) = (true, false)
        metadata.description = "Æbler"
        metadata.title = "Ærø, \"at\" night\\ \u{1F426}\nand day"
        metadata.keywords = ["sea", "night sky"]
        metadata.readerVersion = 2
        metadata.digest = ContentDigest(rawValue: .max)
        metadata.sidecars = SidecarVersion(rawValue: .max - 1)
        var camera = ImageMetadata.Camera()
        (camera.make, camera.model, camera.lens) = ("Lumix", "G9", "12-60")
        (camera.exposureTime, camera.aperture, camera.sensitivity, camera.focalLength) = (0.008, 2.8, 200, 12)
        metadata.camera = camera
        metadata.place = ImageMetadata.Place(latitude: -54.8, longitude: 0.1 + 0.2, altitude: -3)
        var names = ImageMetadata.PlaceNames()
        (names.location, names.city, names.state, names.country) = ("a", "b", "c", "d")
        metadata.placeNames = names
        return metadata
    }

    private func shared(_ image: UInt64, _ version: UInt64?, _ metadata: ImageMetadata) -> SharedMetadata {
        SharedMetadata(
            image: ImageID(rawValue: image), version: version.map { ContentVersion(rawValue: $0) }, metadata: metadata)
    }

    @Test func `every metadata field reaches other nodes unchanged, whether it has a value or not`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        let published = [shared(.max, .max - 1, Self.everything), shared(1, nil, ImageMetadata())]
        #expect(try await log.publish(published).isEmpty)
        let received = try await log.received(after: 0)
        #expect(received.metadata == published)
        #expect(received.position == received.head && !received.hasMore)
        #expect(try await log.received(after: received.position).metadata.isEmpty)

        // Publishing the same again is no change; a text that contains NUL is stored without it.
        _ = try await log.publish(published)
        var strange = ImageMetadata()
        strange.title = "a\0b"
        #expect(try await log.publish([shared(2, 1, strange)]).isEmpty)
        let later = try await log.received(after: received.position)
        #expect(later.metadata.map(\.metadata.title) == ["ab"])
        await log.close()
    }

    @Test func `metadata of one version is merged, and that of another version replaces it`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        var size = ImageMetadata()
        (size.width, size.height, size.readerVersion) = (4, 3, 2)
        var title = ImageMetadata()
        (title.title, title.readerVersion) = ("One", 1)
        _ = try await log.publish([shared(1, 1, size)])
        _ = try await log.publish([shared(1, 1, title)])
        let both = try #require(await log.received(after: 0).metadata.first).metadata
        #expect(both.width == 4 && both.title == "One" && both.readerVersion == 2)
        _ = try await log.publish([shared(1, 2, title)])
        let other = try #require(await log.received(after: 0).metadata.first)
        #expect(other.version?.rawValue == 2 && other.metadata == title)
        await log.close()
    }

    @Test func `what sidecars say stays until they are read again`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        func published(_ metadata: ImageMetadata) async throws -> ImageMetadata {
            _ = try await log.publish([shared(1, 1, metadata)])
            return try #require(await log.received(after: 0).metadata.first).metadata
        }
        var both = ImageMetadata()
        (both.title, both.readerVersion, both.sidecars) = ("sidecar", 4, SidecarVersion(rawValue: 5))
        _ = try await published(both)
        var file = ImageMetadata()
        (file.title, file.rating, file.width, file.readerVersion) = ("file", 1, 7, 5)
        var known = try await published(file)
        #expect(known.title == "sidecar" && known.rating == 1 && known.width == 7 && known.readerVersion == 4)
        (both.title, both.readerVersion, both.sidecars) = (nil, 5, SidecarVersion.none)
        known = try await published(both)
        #expect(known.title == nil && known.rating == nil && known.width == 7 && known.readerVersion == 5)
        #expect(known.sidecars == SidecarVersion.none)
        // Contents are granted to be indexed unless they are known with the same sidecars.
        for (version, count) in [(SidecarVersion.none, 1), (SidecarVersion(rawValue: 5), 0)] {
            let content = ImageContent(
                image: ImageID(rawValue: 1), version: ContentVersion(rawValue: 1), sidecars: version)
            #expect(try await log.known([content]).count == count)
        }
        await log.close()
    }

    @Test func `every node receives the merged metadata that several nodes published for an image`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        var size = ImageMetadata()
        (size.width, size.height) = (4, 3)
        var title = ImageMetadata()
        title.title = "One"
        _ = try await log.publish([shared(1, 1, size)])
        _ = try await log.tellBack([shared(1, 1, title)])
        for received in [try await log.received(after: 0), try await log.heardBack(after: 0)] {
            #expect(
                received.metadata.map(\.metadata.width) == [4] && received.metadata.map(\.metadata.title) == ["One"])
        }
        // A row that one node publishes again still does not belong to that node alone.
        _ = try await log.publish([shared(1, 1, Self.everything)])
        let both = [try await log.received(after: 0), try await log.heardBack(after: 0)]
        #expect(both[0].metadata == both[1].metadata && both[0].metadata.map(\.metadata.rating) == [-1])
        await log.close()
    }

    @Test func `a log is received in batches, in the order of its changes`() async throws {
        let server = try #require(await PostgresServer())
        let log = try Log(server)
        try await log.open()
        for part in 0..<3 {
            _ = try await log.publish((0..<400).map { shared(UInt64(part * 400 + $0), 1, ImageMetadata()) })
        }
        var position: Int64 = 0
        var images: [UInt64] = []
        var parts = 0
        while true {
            let received = try await log.received(after: position)
            images += received.metadata.map(\.image.rawValue)
            position = received.position
            parts += 1
            if !received.hasMore { break }
        }
        #expect(images.sorted() == Array(0..<1_200) && parts == 3)
        await log.close()
    }
}
