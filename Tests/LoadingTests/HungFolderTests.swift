import Dispatch
import Images
import Locking
import Testing

@testable import Loading

/// A disk that hangs, as a network share does whose server has gone: it stops its own pictures and no others.
@Suite(.timeLimit(.minutes(1))) struct HungFolderTests {
    @Test func `opens that hang in some folders leave the pictures of the others to be opened`() async throws {
        let house = try TestHouse()
        let hung = 0..<5
        house.hanging.withLock { $0 = Set(hung) }
        var waiting: [(folder: Int, outcome: Recorder<TestHouse.Outcome>)] = []
        for folder in hung {
            for number in 0..<4 as Range<UInt64> {
                let id = UInt64(folder) * 10 + number
                house.write(picture(100), to: id)
                waiting.append((folder, Recorder()))
                house.load(house.local(id, in: folder), into: waiting[waiting.count - 1].outcome)
            }
        }
        // All that may be open in these folders is.
        #expect(await house.opened.first(10).count == 10)
        for id in 100..<120 as Range<UInt64> {
            house.write(picture(100), to: id)
            #expect(await house.load(house.local(id, in: 7)).bytes != nil)
        }
        #expect(waiting.allSatisfy { $0.outcome.count == 0 })
        // And when the disks are back, all that waited for them is opened.
        house.hanging.withLock { $0 = [] }
        for _ in 0..<10 { house.disk.signal() }
        for (_, outcome) in waiting { #expect(await outcome.element(0).bytes != nil) }
        await house.close()
    }
}
