import Foundation
import Images
import Origins
import Testing

@testable import Loading

/// What the disk does not take is shown all the same, from memory, as much as there is room for; the rest is told
/// honestly, and nothing of it is kept.
@Suite(.timeLimit(.minutes(1))) struct FullDiskPromiseTests {
    private func files(_ house: TestHouse, _ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: house.folder + "/cache/originals/" + part)
    }

    /// An original that is read by somebody; of this function nothing holds it.
    private func growing(_ house: TestHouse) async -> GrowingOriginal? {
        async let result = house.load(house.remote(1), .original)
        await house.origins.fetches.element(0).answer(picture(8_000))
        return await result.growing
    }

    private func fill(_ room: ByteRoom) -> ByteRoom.Share {
        let share = room.share()
        #expect(share.reach(room.budget))
        return share
    }

    @Test func `an original goes on in memory where the disk ends, and is whole there`() async throws {
        let house = try TestHouse {
            $0.originalDisk = ByteRoom(budget: 1_000)
            $0.originalMemoryBytes = 8_000
        }
        let content = picture(8_000)
        async let result = house.load(house.remote(1), .original)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        for start in stride(from: 0, to: content.count, by: 600) {
            fetch.send(.bytes(Array(content[start..<min(content.count, start + 600)])))
        }
        fetch.send(.finished)
        let growing = try #require(await result.growing)
        var read: [UInt8] = []
        while let bytes = try await growing.next() { read += bytes }
        #expect(read == content)
        #expect(try files(house, "kept").isEmpty && files(house, "incoming").isEmpty, "half of it was on disk")
        await house.close()
    }

    @Test func `originals in memory have one budget together, and what is beyond it is refused`() async throws {
        let house = try TestHouse {
            $0.originalDisk = ByteRoom(budget: 0)
            $0.originalMemoryBytes = 10_000
        }
        var held = await growing(house)
        #expect(held != nil)

        async let second = house.load(house.remote(2))
        let fetch = await house.origins.fetches.element(1)
        fetch.send(.started(.of(8_000)))
        fetch.send(.bytes(picture(100)))
        let refusal = try #require(await second.failure)
        #expect(refusal.status == 503 && refusal.retryAfter == .seconds(30))
        // What will not fit is not fetched to its end.
        #expect(await fetch.steering.element(0) == .cancel)

        async let third = house.load(house.remote(3))
        let undeclared = await house.origins.fetches.element(2)
        undeclared.send(.started(.of(nil)))
        for _ in 0..<3 { undeclared.send(.bytes(picture(1_000))) }
        #expect(await third.failure?.status == 503)

        // It is not remembered: with the first one gone there is room.
        held?.close()
        held = nil
        async let again = house.load(house.remote(2))
        await house.origins.fetches.element(3).answer(picture(8_000))
        #expect(await again.bytes != nil)
        #expect(try files(house, "kept").isEmpty && files(house, "incoming").isEmpty)
        await house.close()
    }

    @Test func `a disk that has room again is used again`() async throws {
        let disk = ByteRoom(budget: 20_000)
        let house = try TestHouse {
            $0.originalDisk = disk
            $0.originalMemoryBytes = 0
        }
        var others = fill(disk) as ByteRoom.Share?
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(8_000))
        #expect(await first.failure?.status == 503)
        #expect(others != nil)
        others = nil
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).answer(picture(8_000))
        #expect(await second.bytes != nil)
        let kept = try files(house, "kept")
        #expect(kept.count == 1)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: house.folder + "/cache/originals/kept/" + (kept.first ?? ""))
        #expect(attributes[.size] as? Int == 8_000)
        await house.close()
    }

    @Test func `room is had by shares, and given back with the last holder`() {
        let room = ByteRoom(budget: 100)
        var one = room.share() as ByteRoom.Share?
        let other = room.share()
        #expect(one?.reach(60) == true && one?.reach(10) == true)
        #expect(room.used == 60)
        #expect(!other.reach(41) && other.reach(40) && !other.reach(41))
        #expect(room.used == 100)
        one = nil
        #expect(room.used == 40)
        #expect(other.reach(100) && !other.reach(.max))
    }
}
