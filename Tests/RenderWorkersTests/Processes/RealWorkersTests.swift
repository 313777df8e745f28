import Glibc
import Images
import Logging
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// The pool with real worker processes: an image that harms its worker harms no other image.
@Suite(.timeLimit(.minutes(2)), .serialized) struct RealWorkersTests {
    private func withPool(
        _ change: (inout RenderPool.Configuration) -> Void = { _ in },
        _ body: (WorkerFixture) async throws -> Void
    ) async throws {
        let fixture = try WorkerFixture(change)
        try await body(fixture)
        await fixture.pool.stop()
    }

    @Test func `a picture is inspected and rendered in one job`() async throws {
        try await withPool { fixture in
            let file = try await fixture.picture(width: 800, height: 600)
            let answer = try await fixture.render(.make([.tile: .webp, .preview: .jpeg]), file)
            #expect(
                answer.metadata.width == 800 && answer.metadata.height == 600
                    && answer.metadata.mediaType == "image/jpeg")
            #expect(answer.renditions[.tile]?.width == 320 && answer.renditions[.tile]?.format == .webp)
            #expect(answer.renditions[.preview]?.width == 64 && answer.metadata.placeholder != nil)
            #expect(answer.source.size == file.size)
            let look = try await fixture.render(.readMetadata, file)
            #expect(look.metadata.width == 800 && look.renditions.isEmpty)
        }
    }

    @Test func `metadata of several pictures is read in one job, each independently`() async throws {
        try await withPool { fixture in
            let files = [
                try await fixture.picture(width: 80, height: 60), try fixture.file(Array("no picture".utf8)),
                try fixture.file(WorkerFixture.endless), try await fixture.picture(width: 30, height: 40),
            ]
            let before = fixture.pool.statistics.started
            let answer: RenderResult = try await withCheckedThrowingContinuation { continuation in
                _ = fixture.pool.render(RenderJob(readingMetadataOf: files.map(\.descriptor)), priority: .visible) {
                    result in
                    withExtendedLifetime(files) { continuation.resume(with: result) }
                }
            }
            var sizes: [Int?] = []
            for (visit, file) in zip(answer.fileResults, files) {
                switch visit {
                case .metadata(let metadata, let source):
                    #expect(source.size == file.size)
                    sizes.append(metadata.width)
                case .failed(let error):
                    #expect(error.reason == .notAnImage && error.source?.size == file.size)
                    sizes.append(0)
                // A drawing is heavy.
                case .skipped: sizes.append(nil)
                }
            }
            #expect(sizes == [80, 0, nil, 30])
            #expect(fixture.pool.statistics.started <= before + 1)
        }
    }

    @Test func `workers are sandboxed`() async throws {
        try await withPool { fixture in
            _ = try await fixture.render(.readMetadata, fixture.picture(width: 16, height: 16))
            let confinement = try #require(fixture.pool.statistics.confinement)
            #expect(confinement.calls && confinement.threads)
        }
    }

    @Test func `a worker that wants more threads than it may have is ended`() async throws {
        // The encoder of AVIF has threads of its own.
        try await withPool({ $0.threadsPerWorker = 1 }) { fixture in
            let error = await #expect(throws: RenderError.self) {
                try await fixture.render(.make([.tile: .avif]), fixture.picture(width: 400, height: 300))
            }
            #expect(error?.reason == .decoderDied && error?.logDetail.contains("more than 1 threads") == true)
            #expect(fixture.pool.statistics.deaths == 2)
        }
    }

    @Test func `a job whose worker is killed is retried once`() async throws {
        try await withPool { fixture in
            let endless = try fixture.file(WorkerFixture.endless)
            let job = Task { try await fixture.render(.make([.tile: .jpeg]), endless) }
            let first = await fixture.workerAtWork()
            kill(first, SIGKILL)
            let second = await fixture.workerAtWork(other: first)
            kill(second, SIGKILL)
            let error = await #expect(throws: RenderError.self) { try await job.value }
            // The image is not to blame for a kill from outside.
            #expect(error?.reason == .unavailable && error?.logDetail.contains("signal 9") == true)
            #expect(fixture.pool.statistics.deaths == 2)
            let answer = try await fixture.render(.make([.tile: .jpeg]), fixture.picture(width: 64, height: 64))
            #expect(answer.renditions.count == 1)
        }
    }

    @Test func `an endless picture is stopped at its deadline`() async throws {
        try await withPool({ $0.deadlines.tile = .milliseconds(700) }) { fixture in
            let error = await #expect(throws: RenderError.self) {
                try await fixture.render(.make([.tile: .jpeg]), fixture.file(WorkerFixture.endless))
            }
            #expect(error?.reason == .tookTooLong)
            #expect(fixture.pool.statistics.deadlines == 1)
        }
    }

    @Test func `other pictures are rendered while an endless one holds the heavy permit`() async throws {
        try await withPool { fixture in
            let endless = try fixture.file(WorkerFixture.endless)
            let job = Task { try await fixture.render(.make([.tile: .jpeg]), endless) }
            _ = await fixture.workerAtWork()
            for _ in 0..<5 {
                _ = try await fixture.render(.make([.tile: .jpeg]), fixture.picture(width: 100, height: 100))
            }
            #expect(fixture.pool.statistics.working >= 1, "the endless picture is still being rendered")
            job.cancel()
        }
    }

    @Test func `a cancel frees the permit for the next job, even if the decoder does not respond`() async throws {
        try await withPool { fixture in
            let endless = try fixture.file(WorkerFixture.endless)
            for _ in 0..<4 {
                let (handle, _) = fixture.start(.make([.tile: .jpeg]), endless)
                let worker = await fixture.workerAtWork()
                let clock = ContinuousClock()
                let start = clock.now
                handle.cancel()
                // Another drawing needs the same permit.
                _ = try await fixture.render(.make([.tile: .jpeg]), fixture.file(WorkerFixture.drawing))
                // Far below the deadline of 20 s, but above the start time of a worker on a busy machine.
                #expect(clock.now - start < .seconds(5))
                await fixture.isGone(worker)
            }
            #expect(fixture.pool.statistics.kills == 4)
        }
    }

    @Test func `a picture that needs too much memory is refused`() async throws {
        try await withPool({ $0.limits.memory = 256 << 20 }) { fixture in
            let error = await #expect(throws: RenderError.self) {
                try await fixture.render(.make([.tile: .jpeg]), fixture.file(WorkerFixture.swelling))
            }
            #expect(error?.reason == .tooMuchMemory && error?.publicMessage.contains("256 MB") == true)
            #expect(fixture.pool.statistics.refusals >= 1)
        }
    }

    @Test func `a writable descriptor is not passed to a worker`() async throws {
        try await withPool { fixture in
            let file = try await fixture.picture(width: 16, height: 16)
            let writable = open(file.path, O_RDWR | O_CLOEXEC)
            defer { close(writable) }
            let error = await #expect(throws: RenderError.self) {
                try await fixture.render(.readMetadata, TestFile(path: file.path, descriptor: dup(writable)))
            }
            #expect(error?.reason == .failed)
        }
    }

    @Test func `without its program the pool fails its jobs and reports it`() async throws {
        let fixture = try WorkerFixture(program: "/nonexistent/tessera-renderer")
        let error = await #expect(throws: RenderError.self) {
            try await fixture.render(.readMetadata, fixture.file(WorkerFixture.drawing))
        }
        #expect(error?.reason == .unavailable && error?.logDetail.contains("/nonexistent") == true)
        #expect(fixture.pool.statistics.unavailability != nil)
        await fixture.pool.stop()
    }

    @Test func `when the pool has stopped, so have its workers`() async throws {
        let fixture = try WorkerFixture()
        _ = try await fixture.render(.readMetadata, fixture.picture(width: 16, height: 16))
        #expect(!fixture.processes().isEmpty)
        await fixture.pool.stop()
        #expect(fixture.processes().isEmpty)
    }
}
