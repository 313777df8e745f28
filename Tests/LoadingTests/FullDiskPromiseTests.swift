import Foundation
import Images
import Origins
import TestSupport
import Testing

@testable import Loading

/// An original that does not fit on the disk is served from memory while there is room. Otherwise the load fails with
/// an accurate status, and nothing of it is cached.
@Suite(.timeLimit(.minutes(1))) struct FullDiskPromiseTests {
    private func files(_ fixture: LoaderFixture, _ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/cache/originals/" + part)
    }

    /// Returns an original that is being read, without keeping a reference to it.
    private func growing(_ fixture: LoaderFixture) async -> PartialOriginal? {
        async let result = fixture.load(fixture.remote(1), .original)
        await fixture.origins.fetches.element(0).answer(picture(8_000))
        return await result.partialOriginal
    }

    private func fill(_ room: ByteQuota) -> ByteQuota.Share {
        let share = room.share()
        #expect(share.grow(to: room.budget))
        return share
    }

    @Test func `an original continues in memory when the disk is full, and completes there`() async throws {
        let fixture = try LoaderFixture {
            $0.originalDisk = ByteQuota(budget: 1_000)
            $0.originalMemoryBytes = 8_000
        }
        let content = picture(8_000)
        async let result = fixture.load(fixture.remote(1), .original)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        for start in stride(from: 0, to: content.count, by: 600) {
            fetch.send(.bytes(Array(content[start..<min(content.count, start + 600)])))
        }
        fetch.send(.finished)
        let growing = try #require(await result.partialOriginal)
        var read: [UInt8] = []
        while let bytes = try await growing.next() { read += bytes }
        #expect(read == content)
        #expect(try files(fixture, "kept").isEmpty && files(fixture, "incoming").isEmpty, "no part stays on disk")
        await fixture.close()
    }

    @Test func `originals in memory share one budget, and loads beyond it are refused`() async throws {
        let fixture = try LoaderFixture {
            $0.originalDisk = ByteQuota(budget: 0)
            $0.originalMemoryBytes = 10_000
        }
        var held = await growing(fixture)
        #expect(held != nil)

        async let second = fixture.load(fixture.remote(2))
        let fetch = await fixture.origins.fetches.element(1)
        fetch.send(.started(.of(8_000)))
        fetch.send(.bytes(picture(100)))
        let refusal = try #require(await second.failure)
        #expect(refusal.status == 503 && refusal.retryAfter == .seconds(30))
        // An original that will not fit is not fetched to its end.
        #expect(await fetch.steering.element(0) == .cancel)

        async let third = fixture.load(fixture.remote(3))
        let undeclared = await fixture.origins.fetches.element(2)
        undeclared.send(.started(.of(nil)))
        for _ in 0..<3 { undeclared.send(.bytes(picture(1_000))) }
        #expect(await third.failure?.status == 503)

        // The failure is not remembered: once the first original is released, there is room.
        held?.close()
        held = nil
        let memory = fixture.loader.coordinator.stages.originals.memory
        #expect(await eventually { memory.used == 0 })
        async let again = fixture.load(fixture.remote(2))
        await fixture.origins.fetches.element(3).answer(picture(8_000))
        #expect(await again.bytes != nil)
        #expect(try files(fixture, "kept").isEmpty && files(fixture, "incoming").isEmpty)
        await fixture.close()
    }

    @Test func `the disk is used again once it has room`() async throws {
        let disk = ByteQuota(budget: 20_000)
        let fixture = try LoaderFixture {
            $0.originalDisk = disk
            $0.originalMemoryBytes = 0
        }
        var others = fill(disk) as ByteQuota.Share?
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(8_000))
        #expect(await first.failure?.status == 503)
        #expect(others != nil)
        others = nil
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).answer(picture(8_000))
        #expect(await second.bytes != nil)
        let kept = try files(fixture, "kept")
        #expect(kept.count == 1)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: fixture.folder + "/cache/originals/kept/" + (kept.first ?? ""))
        #expect(attributes[.size] as? Int == 8_000)
        await fixture.close()
    }

    @Test func `a quota is taken up in shares, and a released share returns its bytes`() {
        let room = ByteQuota(budget: 100)
        var one = room.share() as ByteQuota.Share?
        let other = room.share()
        #expect(one?.grow(to: 60) == true && one?.grow(to: 10) == true)
        #expect(room.used == 60)
        #expect(!other.grow(to: 41) && other.grow(to: 40) && !other.grow(to: 41))
        #expect(room.used == 100)
        one = nil
        #expect(room.used == 40)
        #expect(other.grow(to: 100) && !other.grow(to: .max))
    }
}
