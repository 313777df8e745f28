import Images
import Renditions
import Scheduling
import Testing

@testable import Loading

@Suite struct LoadMachineTests {
    private static let image = ImageID(rawValue: 1)

    /// A load machine in which a tile and a screen rendition of one image wait for its original.
    private func waiting() throws -> (machine: LoadMachine<UInt64>, tile: UInt64, screen: UInt64, fetch: UInt64) {
        var machine = LoadMachine<UInt64>()
        var jobs: [UInt64] = []
        for (waiter, rendition, priority) in [
            (1 as UInt64, Rendition.tile, .visible()), (2, .screen, .prefetch()),
        ] as [(UInt64, Rendition, Priority)] {
            let key = LoadMachine<UInt64>.Key(image: Self.image, version: nil, rendition: rendition, format: .webp)
            _ = machine.join(waiter, key: key, priority: priority)
            let job = try #require(machine.job(for: key))
            jobs.append(job)
            _ = machine.needOriginal(job)
        }
        guard case .fetching(let fetch) = machine.stage(of: jobs[0]) else { throw NotFetching() }
        return (machine, jobs[0], jobs[1], fetch)
    }

    private struct NotFetching: Error {}

    @Test func `a job that ends while waiting for an original no longer raises the fetch's priority`() throws {
        var (machine, tile, _, fetch) = try waiting()
        let (waiters, effects) = machine.finish(tile)
        #expect(waiters == [1])
        #expect(effects == [.reprioritiseFetch(fetch, .prefetch())])
        #expect(machine.hasFetch(for: Self.image))
    }

    @Test func `a fetch ends with the last job that waits for its original`() throws {
        var (machine, tile, screen, fetch) = try waiting()
        _ = machine.originalIsReadable(fetch)
        _ = machine.finish(tile)
        let (waiters, effects) = machine.finish(screen)
        #expect(waiters == [2])
        #expect(effects == [.abandonFetch(fetch)])
        #expect(machine.isEmpty)
        #expect(machine.finish(screen).effects.isEmpty, "it has already ended")
    }
}
