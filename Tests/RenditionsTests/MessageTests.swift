import Images
import TestSupport
import Testing

@testable import Renditions

/// The messages between pool and worker survive a round trip, and everything else is rejected.
@Suite struct MessageTests {
    static let metadata: ImageMetadata = {
        var metadata = ImageMetadata()
        metadata.width = 4_032
        metadata.height = 3_024
        metadata.mediaType = "image/heic"
        metadata.byteCount = 2_145_678
        metadata.frames = 1
        metadata.placeholder = Array(0..<25)
        metadata.takenAt = "2024-05-01T10:00:00Z"
        metadata.orientation = 6
        metadata.isIncomplete = true
        var camera = ImageMetadata.Camera()
        camera.make = "Łódź"
        camera.exposureTime = 0.004
        camera.sensitivity = 100
        metadata.camera = camera
        metadata.place = ImageMetadata.Place(latitude: -33.9, longitude: 151.2, altitude: nil)
        metadata.isBroken = false
        metadata.rating = -1
        metadata.title = "نمی\u{200c}دانم 👩‍👧"
        metadata.description = "👩‍👧"
        metadata.keywords = ["cat", "Łódź"]
        metadata.placeNames = .init()
        metadata.placeNames?.city = "Łódź"
        metadata.placeNames?.country = "Polska"
        metadata.readerVersion = ImageMetadata.currentReader
        return metadata
    }()

    static let answer = RenderResult(
        metadata: metadata,
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
    static func packets(_ answer: RenderResult, job: UInt64 = 1) -> [[UInt8]] {
        let (head, bytes) = RenderResponseHead.splitting(answer)
        var packets = [WorkerMessage.ended(job: job, .made(head), memory: 9).packet]
        for file in bytes {
            for start in stride(from: 0, to: file.count, by: 59_999) {
                packets.append(WorkerMessage.bytes(file[start..<min(file.count, start + 59_999)]).packet)
            }
        }
        return packets
    }

    private func assembly(_ work: RenderJob.Work = work) throws -> ResponseAssembler {
        var assembly = ResponseAssembler()
        let ready = try assembly.take(WorkerMessage.ready(.init(files: true, calls: true, threads: true)).packet[...])
        #expect(ready == .ready(.init(files: true, calls: true, threads: true)))
        let lacking = WorkerMessage.ready(.init(files: true, calls: true, threads: false), lacksAVIF: true)
        #expect(try WorkerMessage(lacking.packet[...]) == lacking)
        assembly.expect(work, job: 1, mayBeHeavy: false)
        return assembly
    }

    @Test func `a job message round-trips`() throws {
        for work in [
            RenderJob.Work.readMetadata, Self.work, .make([.screen: .avif]),
            .encode(.init(width: 800, height: 600, format: .jpeg, quality: 82)), .readMetadataOfAll(1),
            .readMetadataOfAll(16),
            .pyramid, .partialDecode(.webp), .readSidecars([.xmp]),
            .readSidecars((0..<16).map { $0 % 3 == 0 ? .takeout : .xmp }),
        ] {
            for mayBeHeavy in [true, false] {
                let message = JobMessage(job: .max, work: work, mayBeHeavy: mayBeHeavy)
                #expect(message.bytes.count <= JobMessage.maximumLength)
                #expect(try PoolMessage(message.bytes[...]) == .job(message))
            }
        }
        #expect(try PoolMessage(PoolMessage.stop(7).bytes[...]) == .stop(7))
    }

    @Test func `a response is split into packets and reassembled`() throws {
        var assembly = try assembly()
        var events: [ResponseAssembler.Event] = []
        let packets = Self.packets(Self.answer)
        #expect(packets.count >= 5 && packets.allSatisfy { $0.count <= WorkerMessage.packetLength })
        for packet in packets { if let event = try assembly.take(packet[...]) { events.append(event) } }
        #expect(events == [.ended(job: 1, .success(Self.answer), memory: 9)])
    }

    @Test func `a failure carries its reason and the state of the file`() throws {
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

    @Test func `a result that does not match its job is rejected`() throws {
        let wrong: [(String, RenderJob.Work, RenderResult)] = [
            ("another rendition", .make([.screen: .webp, .preview: .webp]), Self.answer),
            ("another format", .make([.tile: .avif, .preview: .webp]), Self.answer),
            ("one rendition too many", .make([.tile: .webp]), Self.answer),
            ("one rendition missing", .make([.tile: .webp, .preview: .webp, .screen: .webp]), Self.answer),
            ("renditions although none was requested", .readMetadata, Self.answer),
            ("no rendition although some were requested", Self.work, RenderResult(metadata: Self.metadata)),
            (
                "a picture larger than its rendition", .make([.preview: .webp]),
                RenderResult(renditions: [.preview: Rendered(bytes: Self.webp(99), format: .webp, width: 65, height: 9)]
                )
            ),
            (
                "bytes that are not of the format", .make([.preview: .jpeg]),
                RenderResult(renditions: [.preview: Rendered(bytes: Self.webp(99), format: .jpeg, width: 9, height: 9)])
            ),
            (
                "WebP bytes for a JPEG", .make([.tile: .jpeg]),
                RenderResult(renditions: [.tile: Rendered(bytes: Self.webp(99), format: .jpeg, width: 9, height: 9)])
            ),
            (
                "a size that was not requested",
                .encode(.init(width: 8, height: 9, format: .webp, quality: 1)),
                RenderResult(encoded: Rendered(bytes: Self.webp(99), format: .webp, width: 9, height: 9))
            ),
        ]
        for (what, work, answer) in wrong {
            var assembly = try assembly(work)
            #expect(throws: MessageError.self, "\(what)") {
                for packet in Self.packets(answer) { _ = try assembly.take(packet[...]) }
            }
        }
    }

    @Test func `the metadata of several originals may arrive in any number of packets`() throws {
        let head = RenderResponseHead.splitting(RenderResult(metadata: Self.metadata, source: SourceStatus(size: 5)))
            .head
        let error = RenderError(.damaged, "It is broken.")
        let end = WorkerMessage.ended(job: 1, .made(RenderResponseHead.splitting(RenderResult()).head), memory: 9)
            .packet
        for parts in [[3], [1, 2], [1, 1, 1]] {
            var assembly = try assembly(.readMetadataOfAll(3))
            var ends = [WorkerMessage.End.made(head), .failed(error), .heavy][...]
            for count in parts {
                #expect(
                    try assembly.take(WorkerMessage.results(job: 1, Array(ends.prefix(count))).packet[...]) == nil)
                ends = ends.dropFirst(count)
            }
            var answer = RenderResult()
            answer.fileResults = [.metadata(Self.metadata, SourceStatus(size: 5)), .failed(error), .skipped]
            #expect(try assembly.take(end[...]) == .ended(job: 1, .success(answer), memory: 9))
        }
    }

    @Test func `metadata of the wrong number of originals, or for another job, is rejected`() throws {
        let end = WorkerMessage.ended(job: 1, .made(RenderResponseHead.splitting(RenderResult()).head), memory: 9)
            .packet
        func visit(_ count: Int, job: UInt64 = 1) -> [UInt8] {
            WorkerMessage.results(job: job, Array(repeating: .heavy, count: count)).packet
        }
        let file = RenderResponseHead.splitting(Self.answer).head
        let wrong: [(work: RenderJob.Work, packets: [[UInt8]])] = [
            (.readMetadataOfAll(2), [end]), (.readMetadataOfAll(2), [visit(1), end]),
            (.readMetadataOfAll(2), [visit(3)]),
            (.readMetadataOfAll(2), [visit(1), visit(2)]), (.readMetadataOfAll(2), [visit(2, job: 2)]),
            (.readMetadata, [visit(1)]), (.readMetadata, [visit(0)]),
            (.readSidecars([.xmp, .takeout]), [visit(1), end]), (.readSidecars([.xmp]), [visit(2)]),
            (.readMetadataOfAll(1), [WorkerMessage.results(job: 1, [.made(file)]).packet]),
        ]
        for (number, (work, packets)) in wrong.enumerated() {
            var assembly = try assembly(work)
            #expect(throws: MessageError.self, "\(number)") {
                for packet in packets { _ = try assembly.take(packet[...]) }
            }
        }
        for count in [0, 17] as [UInt8] {
            var packet = JobMessage(job: 1, work: .readMetadataOfAll(1), mayBeHeavy: false).bytes
            packet[packet.count - 1] = count
            #expect(throws: MessageError.self) { try PoolMessage(packet[...]) }
            packet = JobMessage(job: 1, work: .readSidecars([.xmp]), mayBeHeavy: false).bytes
            packet[packet.count - 2] = count
            packet += [UInt8](repeating: 1, count: Int(max(count, 1)) - 1)
            #expect(throws: MessageError.self) { try PoolMessage(packet[...]) }
        }
        var packet = JobMessage(job: 1, work: .readSidecars([.xmp]), mayBeHeavy: false).bytes
        packet[packet.count - 1] = 3
        #expect(throws: MessageError.self) { try PoolMessage(packet[...]) }
    }

    @Test func `unprintable characters in text are replaced`() throws {
        var answer = RenderResult(metadata: Self.metadata)
        answer.metadata.camera?.make = "a\u{0}b\u{202e}c"
        var assembly = try assembly(.readMetadata)
        guard case .ended(_, .success(let told), _) = try assembly.take(Self.packets(answer)[0][...]) else {
            Issue.record("no answer")
            return
        }
        #expect(told.metadata.camera?.make == "a b c")
    }

    @Test func `claims that only the pool can make are rejected from a worker`() throws {
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
        var idle = ResponseAssembler()
        #expect(throws: MessageError.self) { try idle.take(WorkerMessage.refusedMemory(1).packet[...]) }
        var rich = try assembly()
        let packet = WorkerMessage.ended(job: 1, .heavy, memory: .max).packet
        #expect(throws: MessageError.self) { try rich.take(packet[...]) }
    }

    @Test func `messages out of sequence are rejected`() throws {
        let packets = Self.packets(Self.answer)
        var early = ResponseAssembler()
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
            try again.take(WorkerMessage.ready(.init(files: true, calls: true, threads: true)).packet[...])
        }
    }

    @Test func `impossible metadata is rejected`() throws {
        let changes: [(inout ImageMetadata) -> Void] = [
            { $0.width = 0 }, { $0.height = -1 }, { $0.width = 10_000_001 }, { $0.mediaType = "text/html" },
            { $0.mediaType = "image/x\ny" }, { $0.orientation = 9 }, { $0.frames = 0 }, { $0.byteCount = -1 },
            { $0.placeholder = Array(repeating: 1, count: 26) }, { $0.camera?.aperture = .nan },
            { $0.place?.latitude = 91 }, { $0.place?.longitude = .infinity },
            { $0.takenAt = String(repeating: "9", count: 65) }, { $0.rating = 0 }, { $0.rating = 6 },
            { $0.readerVersion = ImageMetadata.currentReader + 1 },
        ]
        for (number, change) in changes.enumerated() {
            var answer = RenderResult(metadata: Self.metadata)
            change(&answer.metadata)
            var assembly = try assembly(.readMetadata)
            #expect(throws: MessageError.self, "change \(number)") {
                for packet in Self.packets(answer) { _ = try assembly.take(packet[...]) }
            }
        }
    }

    @Test func `randomly corrupted packets are parsed or rejected`() throws {
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
