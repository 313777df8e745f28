import Images
import TestSupport
import Testing

@testable import Renditions

/// What pool and worker tell each other: read as it was written, and nothing else believed.
@Suite struct MessageTests {
    static let facts: ImageFacts = {
        var facts = ImageFacts()
        facts.width = 4_032
        facts.height = 3_024
        facts.mediaType = "image/heic"
        facts.byteCount = 2_145_678
        facts.frames = 1
        facts.placeholder = Array(0..<25)
        facts.takenAt = "2024-05-01T10:00:00Z"
        facts.orientation = 6
        facts.isIncomplete = true
        var camera = ImageFacts.Camera()
        camera.make = "Łódź"
        camera.exposureTime = 0.004
        camera.sensitivity = 100
        facts.camera = camera
        facts.place = ImageFacts.Place(latitude: -33.9, longitude: 151.2, altitude: nil)
        facts.isBroken = false
        facts.rating = -1
        facts.title = "نمی\u{200c}دانم 👩‍👧"
        facts.keywords = ["cat", "Łódź"]
        facts.placeNames = .init()
        facts.placeNames?.city = "Łódź"
        facts.placeNames?.country = "Polska"
        facts.examination = ImageFacts.presentExamination
        return facts
    }()

    static let answer = RenderAnswer(
        facts: facts,
        renditions: [
            .tile: Rendered(bytes: webp(130_000), format: .webp, width: 320, height: 240),
            .preview: Rendered(bytes: webp(700), format: .webp, width: 64, height: 48),
        ],
        source: SourceStatus(size: 2_145_678, modifiedSeconds: 1_700_000_000, nanoseconds: 5))

    static let work = RenderJob.Work.make([.tile: .webp, .preview: .webp])

    static func webp(_ count: Int) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + (12..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }

    /// The packets of one answer, as a worker sends them.
    static func packets(_ answer: RenderAnswer, job: UInt64 = 1) -> [[UInt8]] {
        let (head, bytes) = AnswerHead.splitting(answer)
        var packets = [WorkerMessage.ended(job: job, .made(head), memory: 9).packet]
        for file in bytes {
            for start in stride(from: 0, to: file.count, by: 59_999) {
                packets.append(WorkerMessage.bytes(file[start..<min(file.count, start + 59_999)]).packet)
            }
        }
        return packets
    }

    private func assembly(_ work: RenderJob.Work = work) throws -> AnswerAssembly {
        var assembly = AnswerAssembly()
        let ready = try assembly.take(WorkerMessage.ready(.init(files: true, calls: true)).packet[...])
        #expect(ready == .ready(.init(files: true, calls: true)))
        assembly.expect(work, job: 1, mayBeHeavy: false)
        return assembly
    }

    @Test func `a job is read as it was written`() throws {
        for work in [
            RenderJob.Work.examine, Self.work, .make([.screen: .avif]),
            .encode(.init(width: 800, height: 600, format: .jpeg, quality: 82)), .survey(1), .survey(16),
            .pyramid, .glimpse(.webp),
        ] {
            for mayBeHeavy in [true, false] {
                let message = JobMessage(job: .max, work: work, mayBeHeavy: mayBeHeavy)
                #expect(message.bytes.count <= JobMessage.maximumLength)
                #expect(try PoolMessage(message.bytes[...]) == .job(message))
            }
        }
        #expect(try PoolMessage(PoolMessage.stop(7).bytes[...]) == .stop(7))
    }

    @Test func `an answer comes in packets and is put together`() throws {
        var assembly = try assembly()
        var events: [AnswerAssembly.Event] = []
        let packets = Self.packets(Self.answer)
        #expect(packets.count >= 5 && packets.allSatisfy { $0.count <= WorkerMessage.packetLength })
        for packet in packets { if let event = try assembly.take(packet[...]) { events.append(event) } }
        #expect(events == [.ended(job: 1, .success(Self.answer), memory: 9)])
    }

    @Test func `a failure comes with its reason and the state of the file`() throws {
        var assembly = try assembly()
        var error = RenderError(.damaged, "It is\nbroken.", logDetail: String(repeating: "é", count: 5_000))
        error.source = SourceStatus(size: 3, modifiedSeconds: 2, nanoseconds: 1)
        let event = try assembly.take(WorkerMessage.ended(job: 1, .failed(error), memory: 0).packet[...])
        guard case .ended(1, .failure(let told), memory: 0) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(told.reason == .damaged && told.publicMessage == "It is broken." && told.source == error.source)
        #expect(told.logDetail.utf8.count == 1_000)
    }

    @Test func `an answer to something else is not believed`() throws {
        let wrong: [(String, RenderJob.Work, RenderAnswer)] = [
            ("another rendition", .make([.screen: .webp, .preview: .webp]), Self.answer),
            ("another format", .make([.tile: .avif, .preview: .webp]), Self.answer),
            ("one more", .make([.tile: .webp]), Self.answer),
            ("one less", .make([.tile: .webp, .preview: .webp, .screen: .webp]), Self.answer),
            ("files where none was asked for", .examine, Self.answer),
            ("none where one was", Self.work, RenderAnswer(facts: Self.facts)),
            (
                "a picture beyond its size", .make([.preview: .webp]),
                RenderAnswer(renditions: [.preview: Rendered(bytes: Self.webp(99), format: .webp, width: 65, height: 9)]
                )
            ),
            (
                "a file that is no picture of its format", .make([.preview: .jpeg]),
                RenderAnswer(renditions: [.preview: Rendered(bytes: Self.webp(99), format: .jpeg, width: 9, height: 9)])
            ),
            (
                "an original that whoever asks for JPEG may not know", .make([.tile: .jpeg]),
                RenderAnswer(renditions: [.tile: Rendered(bytes: Self.webp(99), format: .jpeg, width: 9, height: 9)])
            ),
            (
                "another size than was asked for",
                .encode(.init(width: 8, height: 9, format: .webp, quality: 1)),
                RenderAnswer(encoded: Rendered(bytes: Self.webp(99), format: .webp, width: 9, height: 9))
            ),
        ]
        for (what, work, answer) in wrong {
            var assembly = try assembly(work)
            #expect(throws: MessageError.self, "\(what)") {
                for packet in Self.packets(answer) { _ = try assembly.take(packet[...]) }
            }
        }
    }

    @Test func `a survey tells of each original, in as many packets as it takes`() throws {
        let head = AnswerHead.splitting(RenderAnswer(facts: Self.facts, source: SourceStatus(size: 5))).head
        let error = RenderError(.damaged, "It is broken.")
        let end = WorkerMessage.ended(job: 1, .made(AnswerHead.splitting(RenderAnswer()).head), memory: 9).packet
        for parts in [[3], [1, 2], [1, 1, 1]] {
            var assembly = try assembly(.survey(3))
            var ends = [WorkerMessage.End.made(head), .failed(error), .heavy][...]
            for count in parts {
                #expect(
                    try assembly.take(WorkerMessage.visited(job: 1, Array(ends.prefix(count))).packet[...]) == nil)
                ends = ends.dropFirst(count)
            }
            var answer = RenderAnswer()
            answer.visits = [.examined(Self.facts, SourceStatus(size: 5)), .failed(error), .left]
            #expect(try assembly.take(end[...]) == .ended(job: 1, .success(answer), memory: 9))
        }
    }

    @Test func `a survey of more or of fewer originals, or in another job, is not believed`() throws {
        let end = WorkerMessage.ended(job: 1, .made(AnswerHead.splitting(RenderAnswer()).head), memory: 9).packet
        func visit(_ count: Int, job: UInt64 = 1) -> [UInt8] {
            WorkerMessage.visited(job: job, Array(repeating: .heavy, count: count)).packet
        }
        let file = AnswerHead.splitting(Self.answer).head
        let wrong: [(work: RenderJob.Work, packets: [[UInt8]])] = [
            (.survey(2), [end]), (.survey(2), [visit(1), end]), (.survey(2), [visit(3)]),
            (.survey(2), [visit(1), visit(2)]), (.survey(2), [visit(2, job: 2)]), (.examine, [visit(1)]),
            (.survey(1), [WorkerMessage.visited(job: 1, [.made(file)]).packet]),
        ]
        for (number, (work, packets)) in wrong.enumerated() {
            var assembly = try assembly(work)
            #expect(throws: MessageError.self, "\(number)") {
                for packet in packets { _ = try assembly.take(packet[...]) }
            }
        }
        for count in [0, 17] as [UInt8] {
            var packet = JobMessage(job: 1, work: .survey(1), mayBeHeavy: false).bytes
            packet[packet.count - 1] = count
            #expect(throws: MessageError.self) { try PoolMessage(packet[...]) }
        }
    }

    @Test func `a text is told as far as it can be printed`() throws {
        var answer = RenderAnswer(facts: Self.facts)
        answer.facts.camera?.make = "a\u{0}b\u{202e}c"
        var assembly = try assembly(.examine)
        guard case .ended(_, .success(let told), _) = try assembly.take(Self.packets(answer)[0][...]) else {
            Issue.record("no answer")
            return
        }
        #expect(told.facts.camera?.make == "a b c")
    }

    @Test func `what only the pool can know is not believed of a worker`() throws {
        for reason in [RenderError.Reason.decoderDied, .tookTooLong, .tooMuchMemory, .unavailable] {
            var assembly = try assembly()
            let packet = WorkerMessage.ended(job: 1, .failed(RenderError(reason, "No.")), memory: 0).packet
            #expect(throws: MessageError.self) { try assembly.take(packet[...]) }
        }
        var heavy = try assembly()
        heavy.expect(Self.work, job: 1, mayBeHeavy: true)
        #expect(throws: MessageError.self) {
            try heavy.take(WorkerMessage.ended(job: 1, .heavy, memory: 0).packet[...])
        }
        var idle = AnswerAssembly()
        #expect(throws: MessageError.self) { try idle.take(WorkerMessage.refusedMemory(1).packet[...]) }
        var rich = try assembly()
        let packet = WorkerMessage.ended(job: 1, .heavy, memory: .max).packet
        #expect(throws: MessageError.self) { try rich.take(packet[...]) }
    }

    @Test func `what comes out of turn is not believed`() throws {
        let packets = Self.packets(Self.answer)
        var early = AnswerAssembly()
        #expect(throws: MessageError.self) { try early.take(packets[0][...]) }
        var other = try assembly()
        #expect(throws: MessageError.self) { try other.take(Self.packets(Self.answer, job: 2)[0][...]) }
        var twice = try assembly()
        _ = try twice.take(packets[0][...])
        #expect(throws: MessageError.self) { try twice.take(packets[0][...]) }
        var bare = try assembly()
        #expect(throws: MessageError.self) { try bare.take(packets[1][...]) }
        var long = try assembly()
        for packet in packets { _ = try long.take(packet[...]) }
        #expect(throws: MessageError.self) { try long.take(packets[1][...]) }
        var again = try assembly()
        #expect(throws: MessageError.self) {
            try again.take(WorkerMessage.ready(.init(files: true, calls: true)).packet[...])
        }
    }

    @Test func `facts that cannot be are not believed`() throws {
        let changes: [(inout ImageFacts) -> Void] = [
            { $0.width = 0 }, { $0.height = -1 }, { $0.width = 10_000_001 }, { $0.mediaType = "text/html" },
            { $0.mediaType = "image/x\ny" }, { $0.orientation = 9 }, { $0.frames = 0 }, { $0.byteCount = -1 },
            { $0.placeholder = Array(repeating: 1, count: 26) }, { $0.camera?.aperture = .nan },
            { $0.place?.latitude = 91 }, { $0.place?.longitude = .infinity },
            { $0.takenAt = String(repeating: "9", count: 65) }, { $0.rating = 0 }, { $0.rating = 6 },
            { $0.examination = ImageFacts.presentExamination + 1 },
        ]
        for (number, change) in changes.enumerated() {
            var answer = RenderAnswer(facts: Self.facts)
            change(&answer.facts)
            var assembly = try assembly(.examine)
            #expect(throws: MessageError.self, "change \(number)") {
                for packet in Self.packets(answer) { _ = try assembly.take(packet[...]) }
            }
        }
    }

    @Test func `whatever happens to the packets, they are read or refused`() throws {
        var random = SeededRandom(seed: 7)
        let good = Self.packets(Self.answer)
        var refused = 0
        for _ in 0..<20_000 {
            var assembly = try assembly()
            var packet = good[0]
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                packet[Int.random(in: 0..<packet.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { packet.removeLast(Int.random(in: 0..<packet.count, using: &random)) }
            do { _ = try assembly.take(packet[...]) } catch { refused += 1 }
            _ = try? PoolMessage(packet[...])
        }
        #expect(refused > 10_000)
    }
}
