import Glibc
import Images
import Loading
import Locking
import Origins
import Redis
import Renditions
import TestSupport
import Testing

@testable import Cluster

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisTierTests {
    private let remote = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)

    private func tile(_ version: UInt64, bytes: Int = 100) -> RenditionBytes {
        RenditionBytes(
            bytes: Array("RIFF....WEBP".utf8) + [UInt8](repeating: 7, count: bytes), mediaType: "image/webp",
            version: ContentVersion(rawValue: version), width: 320, height: 200)
    }

    private func original(_ version: UInt64, freshFor seconds: Int64 = 600) -> SharedOriginal {
        SharedOriginal(
            version: ContentVersion(rawValue: version), validators: Validators(entityTag: "\"\(version)\""), length: 9,
            freshUntil: Int64(time(nil)) + seconds, mustRevalidate: false, metadata: nil)
    }

    @Test func `a stored rendition is found by other nodes, under its content version only`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let name = SharedName(
            image: ImageID(rawValue: 1), version: ContentVersion(rawValue: 5), rendition: .tile, format: .webp)
        #expect(await other.find(name) == nil)
        await one.store(SharedRendition(tile: tile(5)), as: name, fence: 1)
        #expect(await other.find(name)?.tile == tile(5))
        let changed = SharedName(
            image: name.image, version: ContentVersion(rawValue: 6), rendition: .tile, format: .webp)
        #expect(await other.find(changed) == nil)
        await one.close()
        await other.close()
    }

    @Test func `for a remote image the latest content is found, with the facts about its original`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let shared = SharedRendition(tile: tile(5), original: original(5))
        await one.store(shared, as: remote, fence: 1)
        #expect(await other.find(remote) == shared)
        await one.store(SharedRendition(tile: tile(6), original: original(6)), as: remote, fence: 2)
        #expect(await other.find(remote)?.tile == tile(6))
        await one.close()
        await other.close()
    }

    @Test func `a late writer with an older fencing token does not restore older content`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        let winner = SharedRendition(tile: tile(6), original: original(6))
        await one.store(winner, as: remote, fence: 2)
        await one.store(SharedRendition(tile: tile(5), original: original(5)), as: remote, fence: 1)
        #expect(await one.find(remote) == winner)
        await one.close()
    }

    @Test func `a rendition that needs revalidation is found only by requests that waited for it`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        await one.store(SharedRendition(tile: tile(5), original: original(5, freshFor: 0)), as: remote, fence: 1)
        #expect(await one.find(remote) == nil)
        #expect(await one.find(remote, on: .made)?.tile == tile(5))
        await one.close()
    }

    @Test func `a full server stores nothing, and each change of state is reported once`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        await one.announce("CONFIG", "SET", "maxmemory", "1")
        for version in 5...7 as ClosedRange<UInt64> {
            let shared = SharedRendition(tile: tile(version), original: original(version))
            #expect(await one.store(shared, as: remote, fence: version) == false)
        }
        #expect(one.tier.isFull && one.tier.figures.kept == 0)
        await one.announce("CONFIG", "SET", "maxmemory", "0")
        #expect(await one.store(SharedRendition(tile: tile(8), original: original(8)), as: remote, fence: 8))
        #expect(await one.find(remote)?.tile == tile(8))
        #expect(one.fullness.withLock { $0 } == [true, false])
        await one.close()
    }

    @Test func `an oversized rendition is not stored`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        let large = tile(5, bytes: RedisRenditionTier.largest)
        #expect(await one.store(SharedRendition(tile: large, original: original(5)), as: remote, fence: 1) == false)
        #expect(await one.find(remote, on: .made) == nil)
        #expect(one.tier.figures.kept == 0)
        await one.close()
    }

    @Test func `without a server lookups find nothing and stores fail`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        server.end()
        #expect(await eventually { !one.client.isConnected })
        #expect(await one.find(remote) == nil)
        #expect(await one.store(SharedRendition(tile: tile(5)), as: remote, fence: 1) == false)
        await one.close()
    }
}
