import Glibc
import Images
import Logging
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// The pool with its real workers, each a process: what a picture does to one it does to nobody else.
@Suite(.timeLimit(.minutes(2)), .serialized) struct RealWorkersTests {
    private func withPool(
        _ change: (inout RenderPool.Configuration) -> Void = { _ in },
        _ body: (WorkerHouse) async throws -> Void
    ) async throws {
        let house = try WorkerHouse(change)
        try await body(house)
        await house.pool.stop()
    }

    @Test func `a picture is examined and rendered in one visit`() async throws {
        try await withPool { house in
            let file = try await house.picture(width: 800, height: 600)
            let answer = try await house.render(.make([.tile: .webp, .preview: .jpeg]), file)
            #expect(answer.facts.width == 800 && answer.facts.height == 600 && answer.facts.mediaType == "image/jpeg")
            #expect(answer.renditions[.tile]?.width == 320 && answer.renditions[.tile]?.format == .webp)
            #expect(answer.renditions[.preview]?.width == 64 && answer.facts.placeholder != nil)
            #expect(answer.source.size == file.size)
            let look = try await house.render(.examine, file)
            #expect(look.facts.width == 800 && look.renditions.isEmpty)
        }
    }

    @Test func `several pictures are surveyed in one visit, each as if it were alone`() async throws {
        try await withPool { house in
            let files = [
                try await house.picture(width: 80, height: 60), try house.file(Array("no picture".utf8)),
                try house.file(WorkerHouse.endless), try await house.picture(width: 30, height: 40),
            ]
            let before = house.pool.statistics.started
            let answer: RenderAnswer = try await withCheckedThrowingContinuation { continuation in
                _ = house.pool.render(RenderJob(surveying: files.map(\.descriptor)), priority: .visible) { result in
                    withExtendedLifetime(files) { continuation.resume(with: result) }
                }
            }
            var sizes: [Int?] = []
            for (visit, file) in zip(answer.visits, files) {
                switch visit {
                case .examined(let facts, let source):
                    #expect(source.size == file.size)
                    sizes.append(facts.width)
                case .failed(let error):
                    #expect(error.reason == .notAnImage && error.source?.size == file.size)
                    sizes.append(0)
                // A drawing is heavy.
                case .left: sizes.append(nil)
                }
            }
            #expect(sizes == [80, 0, nil, 30])
            #expect(house.pool.statistics.started <= before + 1)
        }
    }

    @Test func `workers are locked in`() async throws {
        try await withPool { house in
            _ = try await house.render(.examine, house.picture(width: 16, height: 16))
            let confinement = try #require(house.pool.statistics.confinement)
            #expect(confinement.calls)
        }
    }

    @Test func `a worker that is killed costs its job a second try, and no more`() async throws {
        try await withPool { house in
            let endless = try house.file(WorkerHouse.endless)
            let job = Task { try await house.render(.make([.tile: .jpeg]), endless) }
            let first = await house.workerAtWork()
            kill(first, SIGKILL)
            let second = await house.workerAtWork(other: first)
            kill(second, SIGKILL)
            let error = await #expect(throws: RenderError.self) { try await job.value }
            // The picture is not to blame for what others do.
            #expect(error?.reason == .unavailable && error?.logDetail.contains("signal 9") == true)
            #expect(house.pool.statistics.deaths == 2)
            let answer = try await house.render(.make([.tile: .jpeg]), house.picture(width: 64, height: 64))
            #expect(answer.renditions.count == 1)
        }
    }

    @Test func `a picture without end ends when its time is over`() async throws {
        try await withPool({ $0.deadlines.tile = .milliseconds(700) }) { house in
            let error = await #expect(throws: RenderError.self) {
                try await house.render(.make([.tile: .jpeg]), house.file(WorkerHouse.endless))
            }
            #expect(error?.reason == .tookTooLong)
            #expect(house.pool.statistics.deadlines == 1)
        }
    }

    @Test func `while a picture without end holds the heavy place, the others are rendered`() async throws {
        try await withPool { house in
            let endless = try house.file(WorkerHouse.endless)
            let job = Task { try await house.render(.make([.tile: .jpeg]), endless) }
            _ = await house.workerAtWork()
            for _ in 0..<5 {
                _ = try await house.render(.make([.tile: .jpeg]), house.picture(width: 100, height: 100))
            }
            #expect(house.pool.statistics.working >= 1, "the endless one is still at it")
            job.cancel()
        }
    }

    @Test func `a cancel lets the next one have the place, though the decoder hears nothing`() async throws {
        try await withPool { house in
            let endless = try house.file(WorkerHouse.endless)
            for _ in 0..<4 {
                let (handle, _) = house.start(.make([.tile: .jpeg]), endless)
                let worker = await house.workerAtWork()
                let clock = ContinuousClock()
                let start = clock.now
                handle.cancel()
                // Another drawing needs the same place.
                _ = try await house.render(.make([.tile: .jpeg]), house.file(WorkerHouse.drawing))
                // Far below the deadline of 20 s, and above what a busy machine may need to start a worker.
                #expect(clock.now - start < .seconds(5))
                await house.isGone(worker)
            }
            #expect(house.pool.statistics.kills == 4)
        }
    }

    @Test func `a picture that swells is refused by its memory`() async throws {
        try await withPool({ $0.limits.memory = 256 << 20 }) { house in
            let error = await #expect(throws: RenderError.self) {
                try await house.render(.make([.tile: .jpeg]), house.file(WorkerHouse.swelling))
            }
            #expect(error?.reason == .tooMuchMemory && error?.publicMessage.contains("256 MB") == true)
            #expect(house.pool.statistics.refusals >= 1)
        }
    }

    @Test func `a descriptor that can be written to is not handed out`() async throws {
        try await withPool { house in
            let file = try await house.picture(width: 16, height: 16)
            let writable = open(file.path, O_RDWR | O_CLOEXEC)
            defer { close(writable) }
            let error = await #expect(throws: RenderError.self) {
                try await house.render(.examine, TestFile(path: file.path, descriptor: dup(writable)))
            }
            #expect(error?.reason == .failed)
        }
    }

    @Test func `without its program the pool fails its jobs and says so`() async throws {
        let house = try WorkerHouse(program: "/nonexistent/tessera-renderer")
        let error = await #expect(throws: RenderError.self) {
            try await house.render(.examine, house.file(WorkerHouse.drawing))
        }
        #expect(error?.reason == .unavailable && error?.logDetail.contains("/nonexistent") == true)
        #expect(!house.pool.statistics.isAvailable)
        await house.pool.stop()
    }

    @Test func `when the pool has ended so have its workers`() async throws {
        let house = try WorkerHouse()
        _ = try await house.render(.examine, house.picture(width: 16, height: 16))
        #expect(!house.processes().isEmpty)
        await house.pool.stop()
        #expect(house.processes().isEmpty)
    }
}
