import Dispatch
import Images
import Locking
import Renditions
import Scheduling
import Testing

@testable import Loading

/// A hung disk, such as a network share whose server is down, blocks only its own images.
@Suite(.timeLimit(.minutes(1))) struct HungFolderTests {
    @Test func `hanging opens in some folders do not block files of other folders`() async throws {
        let fixture = try LoaderFixture()
        let hung = 0..<5
        fixture.hanging.withLock { $0 = Set(hung) }
        var waiting: [(folder: Int, outcome: Recorder<LoaderFixture.Outcome>)] = []
        for folder in hung {
            for number in 0..<4 as Range<UInt64> {
                let id = UInt64(folder) * 10 + number
                fixture.write(picture(100), to: id)
                waiting.append((folder, Recorder()))
                fixture.load(fixture.local(id, in: folder), into: waiting[waiting.count - 1].outcome)
            }
        }
        // As many files as allowed are being opened in these folders.
        #expect(await fixture.opened.first(10).count == 10)
        for id in 100..<120 as Range<UInt64> {
            fixture.write(picture(100), to: id)
            #expect(await fixture.load(fixture.local(id, in: 7)).bytes != nil)
        }
        #expect(waiting.allSatisfy { $0.outcome.count == 0 })
        // When the disks respond again, all waiting files are opened.
        fixture.hanging.withLock { $0 = [] }
        for _ in 0..<10 { fixture.disk.signal() }
        for (_, outcome) in waiting { #expect(await outcome.element(0).bytes != nil) }
        await fixture.close()
    }

    @Test func `a prefetch that never begins to open its file may be tried later, and blames no disk`() async throws {
        let fixture = try LoaderFixture { $0.diskDeadline = .milliseconds(100) }
        fixture.hanging.withLock { $0 = [0] }
        for id in 1...2 as ClosedRange<UInt64> { fixture.write(picture(100), to: id) }
        let prefetch = Priority(level: .prefetch, viewport: 0, distance: 0)
        let (first, second) = (Recorder<LoaderFixture.Outcome>(), Recorder<LoaderFixture.Outcome>())
        // Of the two threads of a folder, prefetch may occupy one.
        fixture.load(fixture.local(1), .tile, .webp, prefetch, into: first)
        #expect(await fixture.opened.first(1).count == 1)
        fixture.load(fixture.local(2), .tile, .webp, prefetch, into: second)
        #expect(await second.element(0).failure == .overloaded)
        #expect(await first.element(0).failure == .hungDisk)
        fixture.hanging.withLock { $0 = [] }
        fixture.disk.signal()
        #expect(await fixture.load(fixture.local(2)).bytes != nil)
        await fixture.close()
    }
}
