import Images
import Loading
import Locking
import Logging
import Origins
import Renditions
import Scheduling
import Testing

@testable import Cluster

/// An in-memory object store that responds, stays silent or refuses, depending on its mood.
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
        func fetchRest() {}
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

    /// Answers all requests that arrived while it was silent, late.
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

    private func store(
        _ tile: RenditionBytes, as name: SharedName, listed: ContentVersion? = nil, in tier: any RenditionTier
    ) async {
        await withCheckedContinuation { continuation in
            tier.store(SharedRendition(tile: tile), as: name, listed: listed, fence: 0) { _ in continuation.resume() }
        }
    }

    @Test func `a stored rendition is found by other nodes of its gallery, under its content version only`() async {
        await store(tile, as: name, in: tier())
        let other = tier()
        #expect(await find(name, in: other) == tile)
        #expect(store.asked.allSatisfy { $0.isSigned && $0.url.hasPrefix("http://store/b/tiles/g/1-1/") })
        let changed = SharedName(
            image: name.image, version: ContentVersion(rawValue: 6), rendition: .tile, format: .webp)
        #expect(await find(changed, in: other) == nil)
        #expect(await find(name, in: tier(gallery: "another")) == nil)
        #expect(other.figures == .init(found: 1, notFound: 1))
    }

    @Test func `renditions of a remote image are stored and found only under the version in its listing`() async {
        let tier = tier()
        await store(tile, as: remote, in: tier)
        #expect(await find(remote, in: tier) == nil)
        #expect(store.asked.isEmpty)
        await store(tile, as: remote, listed: ContentVersion(rawValue: 4), in: tier)
        #expect(store.asked.isEmpty, "the origin's content differs from the listed version")
        await store(tile, as: remote, listed: version, in: tier)
        #expect(await find(remote, listed: version, in: tier) == tile)
    }

    @Test func `an object that is not the named picture counts as not found`() async {
        let tier = tier()
        await store(tile, as: name, in: tier)
        let url = store.asked[0].url
        for bytes in [[], Array("garbage".utf8), Array((store.objects[url] ?? []).dropLast())] {
            store.objects[url] = bytes
            #expect(await find(name, in: tier) == nil)
        }
        store.objects[url] = [UInt8](repeating: 0, count: 5 << 20)
        #expect(await find(name, in: tier) == nil)
        #expect(tier.figures.found == 0 && tier.figures.notFound == 4)
    }

    @Test func `a silent store is skipped after three lookups have timed out`() async {
        let tier = tier()
        store.mood = .silent
        let began = ContinuousClock.now
        for _ in 0..<10 { #expect(await find(name, in: tier) == nil) }
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(store.asked.count == 3)
        #expect(tier.figures.failed == 3)
    }

    @Test func `refusals are counted, and the store is still used`() async {
        let tier = tier()
        store.mood = .refusing
        for _ in 0..<5 { #expect(await find(name, in: tier) == nil) }
        await store(tile, as: name, in: tier)
        #expect(tier.figures == .init(failed: 5, notKept: 1))
        store.mood = .well
        await store(tile, as: name, in: tier)
        #expect(await find(name, in: tier) == tile)
    }

    @Test func `concurrent uploads are limited, and oversized renditions are not uploaded`() async {
        let tier = tier()
        store.mood = .silent
        for number in UInt64(0)..<100 {
            let name = SharedName(
                image: ImageID(rawValue: number), version: version, rendition: .tile, format: .webp)
            tier.store(SharedRendition(tile: tile), as: name, listed: nil, fence: 0) { _ in }
        }
        #expect(store.asked.count == BucketRenditionTier.maximumUploads)
        #expect(tier.figures.notKept == 100 - BucketRenditionTier.maximumUploads)
        let large = RenditionBytes(
            bytes: [UInt8](repeating: 0, count: BucketRenditionTier.largest + 1), mediaType: "image/webp",
            version: version, width: 320, height: 200)
        await store(large, as: name, in: self.tier())
        #expect(store.asked.count == BucketRenditionTier.maximumUploads)
    }

    @Test func `concurrent lookups are limited, and late responses free their slots`() async {
        let tier = tier()
        store.mood = .silent
        let found = Guarded(0)
        for number in UInt64(0)..<100 {
            let name = SharedName(
                image: ImageID(rawValue: number), version: version, rendition: .tile, format: .webp)
            tier.find(name, listed: nil, on: .first) { _ in found.withLock { $0 += 1 } }
        }
        #expect(store.asked.count == BucketRenditionTier.maximumLookups)
        #expect(found.withLock { $0 } >= 100 - BucketRenditionTier.maximumLookups)
        store.answerAll()
        store.mood = .well
        await store(tile, as: name, in: tier)
        #expect(await find(name, in: tier) == tile)
    }

    @Test func `a rendition found in the far tier is copied to the near tier and found there afterwards`() async {
        let (near, far) = (tier(gallery: "near"), tier(gallery: "far"))
        let tiers = RenditionTiers(near: near, far: far)
        #expect(tiers.servesSingleNode)
        await store(tile, as: name, in: far)
        #expect(await find(name, in: tiers) == tile)
        #expect(await find(name, in: tiers) == tile)
        #expect(near.figures.found == 1 && near.figures.kept == 1 && far.figures.found == 1)
        // A load looks a second time for what other nodes have made since, which they keep in the near tier.
        let again = SharedName(image: ImageID(rawValue: 3), version: version, rendition: .tile, format: .webp)
        await store(tile, as: again, in: far)
        let looked = far.figures
        let second = await withCheckedContinuation { continuation in
            tiers.find(again, listed: nil, on: .again) { continuation.resume(returning: $0) }
        }
        #expect(second == nil && far.figures.found == looked.found && far.figures.notFound == looked.notFound)
        let other = SharedName(image: ImageID(rawValue: 2), version: version, rendition: .tile, format: .webp)
        await store(tile, as: other, in: tiers)
        #expect(near.figures.kept == 2 && far.figures.kept == 3)
    }
}

@Suite struct TierBackoffTests {
    private let start = ContinuousClock.now

    private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `three timeouts in a row pause lookups until a single probe succeeds`() {
        var backoff = TierBackoff()
        for late in [0, 300] { backoff.timedOut(now: moment(late)) }
        backoff.succeeded()
        for late in [600, 900, 1_200] {
            let mayTry = backoff.mayTry(now: moment(late))
            #expect(mayTry)
            backoff.timedOut(now: moment(late))
        }
        let lookups = [5_200, 6_200, 7_200].map { backoff.mayTry(now: moment($0)) }
        #expect(lookups == [false, true, false], "only one probe at a time")
        backoff.succeeded()
        let mayTry = backoff.mayTry(now: moment(7_300))
        #expect(mayTry)
    }

    @Test func `concurrent timeouts count once`() {
        var backoff = TierBackoff()
        for late in 0..<32 { backoff.timedOut(now: moment(late)) }
        let mayTry = backoff.mayTry(now: moment(100))
        #expect(mayTry)
    }
}
