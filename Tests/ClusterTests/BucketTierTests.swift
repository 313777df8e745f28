import Images
import Loading
import Locking
import Logging
import Origins
import Renditions
import Scheduling
import Testing

@testable import Cluster

/// A store that keeps what is put, and answers as it is told.
private final class MemoryStore: OriginFetching {
    enum Mood { case well, silent, refusing }

    private struct State: Sendable {
        var objects: [String: [UInt8]] = [:]
        var mood = Mood.well
        var asked: [OriginRequest] = []
        var waiting: [@Sendable (OriginEvent) -> Void] = []
    }

    private struct Fetch: OriginFetch {
        let store: MemoryStore

        func cancel() {}
        func reprioritise(_ priority: Priority) {}
        func pause() {}
        func resume() {}
    }

    private let state = Guarded(State())

    var mood: Mood {
        get { state.withLock(\.mood) }
        set { state.withLock { $0.mood = newValue } }
    }
    var objects: [String: [UInt8]] {
        get { state.withLock(\.objects) }
        set { state.withLock { $0.objects = newValue } }
    }
    var asked: [OriginRequest] { state.withLock(\.asked) }

    /// Answers, late, all that it was asked while it was silent.
    func answerAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for events in waiting { events(.failed(OriginError(.status(404), logDetail: "none"))) }
    }

    func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch {
        let mood = state.withLock { state in
            state.asked.append(request)
            return state.mood
        }
        switch mood {
        case .silent: state.withLock { $0.waiting.append(events) }
        case .refusing: events(.failed(OriginError(.status(403), logDetail: "no")))
        case .well:
            if let upload = request.upload {
                state.withLock { $0.objects[request.url] = upload.bytes }
                events(.finished)
            } else if let object = objects[request.url] {
                for start in stride(from: 0, to: object.count, by: 1_000) {
                    events(.bytes(Array(object[start..<min(start + 1_000, object.count)])))
                }
                events(.finished)
            } else {
                events(.failed(OriginError(.status(404), logDetail: "none")))
            }
        }
        return Fetch(store: self)
    }
}

@Suite(.timeLimit(.minutes(1))) struct BucketTierTests {
    private let store = MemoryStore()
    private let version = ContentVersion(rawValue: 5)
    private var name: SharedName {
        SharedName(image: ImageID(rawValue: 1), version: version, rendition: .tile, format: .webp)
    }
    private var remote: SharedName {
        SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    }
    private var tile: RenditionBytes {
        RenditionBytes(
            bytes: Array("RIFF....WEBP".utf8) + [UInt8](repeating: 7, count: 5_000), mediaType: "image/webp",
            version: version, width: 320, height: 200)
    }

    private func tier(gallery: String = "g") -> BucketRenditionTier {
        BucketRenditionTier(
            origins: store, folder: "http://store/b/tiles/", gallery: gallery,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func find(
        _ name: SharedName, listed: ContentVersion? = nil, in tier: any RenditionTier
    ) async -> RenditionBytes? {
        await withCheckedContinuation { continuation in
            tier.find(name, listed: listed, on: .first) { continuation.resume(returning: $0?.tile) }
        }
    }

    private func keep(
        _ tile: RenditionBytes, as name: SharedName, listed: ContentVersion? = nil, in tier: any RenditionTier
    ) async {
        await withCheckedContinuation { continuation in
            tier.keep(SharedRendition(tile: tile), as: name, listed: listed, fence: 0) { _ in continuation.resume() }
        }
    }

    @Test func `what one node keeps another finds, by its content, and no other gallery`() async {
        await keep(tile, as: name, in: tier())
        let other = tier()
        #expect(await find(name, in: other) == tile)
        #expect(store.asked.allSatisfy { $0.isSigned && $0.url.hasPrefix("http://store/b/tiles/g/1/") })
        let changed = SharedName(
            image: name.image, version: ContentVersion(rawValue: 6), rendition: .tile, format: .webp)
        #expect(await find(changed, in: other) == nil)
        #expect(await find(name, in: tier(gallery: "another")) == nil)
        #expect(other.figures == .init(found: 1, notFound: 1))
    }

    @Test func `of a remote image what its listing names is kept and found; without a listing nobody is asked`() async {
        let tier = tier()
        await keep(tile, as: remote, in: tier)
        #expect(await find(remote, in: tier) == nil)
        #expect(store.asked.isEmpty)
        await keep(tile, as: remote, listed: ContentVersion(rawValue: 4), in: tier)
        #expect(store.asked.isEmpty, "the origin had another content than was listed")
        await keep(tile, as: remote, listed: version, in: tier)
        #expect(await find(remote, listed: version, in: tier) == tile)
    }

    @Test func `what is no picture of the name is not there`() async {
        let tier = tier()
        await keep(tile, as: name, in: tier)
        let url = store.asked[0].url
        for bytes in [[], Array("garbage".utf8), Array((store.objects[url] ?? []).dropLast())] {
            store.objects[url] = bytes
            #expect(await find(name, in: tier) == nil)
        }
        store.objects[url] = [UInt8](repeating: 0, count: 5 << 20)
        #expect(await find(name, in: tier) == nil)
        #expect(tier.figures.found == 0 && tier.figures.notFound == 4)
    }

    @Test func `a store that says nothing keeps nobody waiting for long, and is left alone after three looks`() async {
        let tier = tier()
        store.mood = .silent
        let began = ContinuousClock.now
        for _ in 0..<10 { #expect(await find(name, in: tier) == nil) }
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(store.asked.count == 3)
        #expect(tier.figures.failed == 3)
    }

    @Test func `a store that refuses is asked on, and costs nothing but the counting`() async {
        let tier = tier()
        store.mood = .refusing
        for _ in 0..<5 { #expect(await find(name, in: tier) == nil) }
        await keep(tile, as: name, in: tier)
        #expect(tier.figures == .init(failed: 5, notKept: 1))
        store.mood = .well
        await keep(tile, as: name, in: tier)
        #expect(await find(name, in: tier) == tile)
    }

    @Test func `no more is on its way than may be, and nothing that is too large`() async {
        let tier = tier()
        store.mood = .silent
        for number in UInt64(0)..<100 {
            let name = SharedName(
                image: ImageID(rawValue: number), version: version, rendition: .tile, format: .webp)
            tier.keep(SharedRendition(tile: tile), as: name, listed: nil, fence: 0) { _ in }
        }
        #expect(store.asked.count == BucketRenditionTier.mostUnderWay)
        #expect(tier.figures.notKept == 100 - BucketRenditionTier.mostUnderWay)
        let large = RenditionBytes(
            bytes: [UInt8](repeating: 0, count: BucketRenditionTier.largest + 1), mediaType: "image/webp",
            version: version, width: 320, height: 200)
        await keep(large, as: name, in: self.tier())
        #expect(store.asked.count == BucketRenditionTier.mostUnderWay)
    }

    @Test func `no more is looked for at once than may be, and what comes late makes room again`() async {
        let tier = tier()
        store.mood = .silent
        let found = Guarded(0)
        for number in UInt64(0)..<100 {
            let name = SharedName(
                image: ImageID(rawValue: number), version: version, rendition: .tile, format: .webp)
            tier.find(name, listed: nil, on: .first) { _ in found.withLock { $0 += 1 } }
        }
        #expect(store.asked.count == BucketRenditionTier.mostLooks)
        #expect(found.withLock { $0 } >= 100 - BucketRenditionTier.mostLooks)
        store.answerAll()
        store.mood = .well
        await keep(tile, as: name, in: tier)
        #expect(await find(name, in: tier) == tile)
    }

    @Test func `what is found far away is kept near, and found there from then on`() async {
        let (near, far) = (tier(gallery: "near"), tier(gallery: "far"))
        let tiers = RenditionTiers(near: near, far: far)
        #expect(tiers.servesAlone)
        await keep(tile, as: name, in: far)
        #expect(await find(name, in: tiers) == tile)
        #expect(await find(name, in: tiers) == tile)
        #expect(near.figures.found == 1 && near.figures.kept == 1 && far.figures.found == 1)
        // The second look of a load is for what others have made since: they keep it near.
        let again = SharedName(image: ImageID(rawValue: 3), version: version, rendition: .tile, format: .webp)
        await keep(tile, as: again, in: far)
        let looked = far.figures
        let second = await withCheckedContinuation { continuation in
            tiers.find(again, listed: nil, on: .again) { continuation.resume(returning: $0) }
        }
        #expect(second == nil && far.figures.found == looked.found && far.figures.notFound == looked.notFound)
        let other = SharedName(image: ImageID(rawValue: 2), version: version, rendition: .tile, format: .webp)
        await keep(tile, as: other, in: tiers)
        #expect(near.figures.kept == 2 && far.figures.kept == 3)
    }
}

@Suite struct LookPaceTests {
    private let start = ContinuousClock.now

    private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `after three late answers in a row nobody looks for a while, and then one, who tells`() {
        var pace = LookPace()
        for late in [0, 300] { pace.wasLate(now: moment(late)) }
        pace.wasAnswered()
        for late in [600, 900, 1_200] {
            let mayLook = pace.mayLook(now: moment(late))
            #expect(mayLook)
            pace.wasLate(now: moment(late))
        }
        let looks = [5_200, 6_200, 7_200].map { pace.mayLook(now: moment($0)) }
        #expect(looks == [false, true, false], "then one is looking")
        pace.wasAnswered()
        let mayLook = pace.mayLook(now: moment(7_300))
        #expect(mayLook)
    }

    @Test func `what is late together counts once`() {
        var pace = LookPace()
        for late in 0..<32 { pace.wasLate(now: moment(late)) }
        let mayLook = pace.mayLook(now: moment(100))
        #expect(mayLook)
    }
}
