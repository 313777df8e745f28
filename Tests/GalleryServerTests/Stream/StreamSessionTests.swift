import Addresses
import Clients
import Foundation
import HTTPServer
import Images
import Loading
import Scheduling
import TestSupport
import Testing
import Time

@testable import GalleryServer

@Suite(.timeLimit(.minutes(1))) struct StreamSessionTests {
    /// The announced slots, by token in its 16 bytes.
    private func told(_ received: [StreamFixture.Heard]) throws -> [[UInt8]: Int] {
        var told: [[UInt8]: Int] = [:]
        for text in received.texts {
            let message = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            guard message["type"] as? String == "tokens" else { continue }
            for entry in try #require(message["tokens"] as? [[String: Any]]) {
                guard let token = (entry["token"] as? String).flatMap({ Token($0) }) else { continue }
                var bytes: [UInt8] = []
                token.appendBytes(to: &bytes)
                told[bytes] = entry["slot"] as? Int
            }
        }
        return told
    }

    private func token(of slot: Int, in received: [StreamFixture.Heard]) throws -> Token {
        let message = try #require(received.texts.first { $0.contains("\"slot\":\(slot),") })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
        let entry = try #require((object["tokens"] as? [[String: Any]])?.first { $0["slot"] as? Int == slot })
        return try #require((entry["token"] as? String).flatMap { Token($0) })
    }

    @Test func `the first message names the session, and a viewport brings all of its slots`() async throws {
        let fixture = try StreamFixture()
        fixture.loader.holdEverything()
        await fixture.open()
        let greeting = await fixture.hear()
        #expect(greeting.texts.count == 1 && greeting.texts[0].hasPrefix(#"{"type":"session","session":""#))
        await fixture.say(#"{"type":"viewport","first":100,"count":10}"#)
        let received = await fixture.hear { $0.frames.count >= 50 }
        let told = try told(received)
        let first = received.frames.prefix(20)
        #expect(Set(first.compactMap { told[$0.token] }) == Set(100..<110))
        #expect(first.map(\.kind) == Array(repeating: 1, count: 10) + Array(repeating: 2, count: 10))
        #expect(
            received.frames.allSatisfy { told[$0.token] != nil && $0.status == 0 && $0.format == 2 && $0.version == 1 })
        #expect(received.frames.allSatisfy { $0.flags == ($0.kind == 2 ? 1 : 0) && $0.body.count == 100 })
        let statistics = fixture.tokens.statistics
        #expect(statistics.delivered == 25 && statistics.live == 0)
        #expect(fixture.limiter.figures.previews == 25 && fixture.limiter.figures.tileBytes == 25 * 128)
        await fixture.end()
    }

    @Test func `a ping is answered once, even while every picture is still loading`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        #expect(try #require(await fixture.hear().texts.first).hasSuffix(#""pings":true}"#))
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 10 }
        await fixture.say(#"{"type":"ping"}"#)
        let received = await fixture.hear { $0.texts.contains(#"{"type":"pong"}"#) }
        #expect(received.texts.filter { $0.contains("pong") }.count == 1)
        #expect(fixture.loader.loads.count >= 10 && fixture.tokens.statistics.cancelled == 0)
        await fixture.end()
    }

    @Test func `a stream whose session was closed still gets a picture for every visible slot`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        let greeting = try #require(await fixture.hear().texts.first)
        let id = try #require(SessionID(String(greeting.split(separator: "\"")[7])))
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in !fixture.loader.loads.isEmpty }
        #expect(fixture.tokens.close(id) > 0)
        fixture.loader.holdEverything()
        let received = await fixture.hear { $0.frames.filter { $0.kind == 2 }.count >= 10 }
        let told = try told(received)
        #expect(Set(received.frames.filter { $0.kind == 2 }.compactMap { told[$0.token] }).isSuperset(of: 0..<10))
        await fixture.end()
    }

    @Test func `a stream that continues before it learns of the closed session leaves no slot empty`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        let greeting = try #require(await fixture.hear().texts.first)
        let id = try #require(SessionID(String(greeting.split(separator: "\"")[7])))
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 10 }
        for load in fixture.loader.loads { load.succeed() }
        fixture.loader.holdEverything()
        // The loaded piece would be sent next; the end of the session reaches the stream only in a later iteration of
        // the loop.
        let early = await fixture.onLoop { fixture -> [StreamFixture.Heard] in
            fixture.tokens.close(id)
            guard case .text(let text)? = fixture.session.nextMessage() else { return [] }
            return [.text(text)]
        }
        let received = await fixture.hear { $0.frames.filter { $0.kind == 2 }.count >= 10 }
        let told = try told(early + received)
        #expect(Set(received.frames.filter { $0.kind == 2 }.compactMap { told[$0.token] }).isSuperset(of: 0..<10))
        await fixture.end()
    }

    @Test func `of several viewports in one loop iteration only the newest counts`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(
            #"{"type":"viewport","first":0,"count":10}"#, #"{"type":"viewport","first":300,"count":10}"#,
            #"{"type":"viewport","first":600,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 10 }
        let loads = fixture.loader.loads
        #expect(loads.count >= 10 && loads.allSatisfy { 585..<630 ~= $0.request.image.slot })
        #expect(fixture.limiter.figures.viewports == 1)
        await fixture.end()
    }

    @Test func `a rate-limited stream sends nothing until its turn, and then its newest viewport`() async throws {
        let fixture = try StreamFixture()
        fixture.loader.holdEverything()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":100,"count":10}"#)
        _ = await fixture.hear { $0.frames.count >= 20 }
        // Another client is active, and this one has used up its share.
        let now = fixture.time.uptime().inSeconds
        fixture.pace.note(Client(.v4(0xC000_0201)), now: now)
        while fixture.pace.take(of: Client(.v4(0x7F00_0001)), now: now) < 1.5 {}
        await fixture.say(
            #"{"type":"viewport","first":500,"count":10}"#, #"{"type":"viewport","first":700,"count":10}"#)
        #expect(await fixture.hear().isEmpty)
        let received = await fixture.hear { $0.frames.count >= 20 }
        #expect(Set(try told(received).values).isSuperset(of: 700..<710))
        #expect(try told(received).values.allSatisfy { $0 >= 600 })
        #expect(fixture.limiter.figures.viewports == 2)
        await fixture.end()
    }

    @Test func `another view is announced first and ends all tokens of the previous one`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 10 }
        let before = fixture.loader.loads
        await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=4"}"#)
        let received = await fixture.hear { received in received.texts.contains { $0.contains(#""type":"tokens""#) } }
        #expect(before.allSatisfy { $0.isCancelled } && before.count >= 10)
        #expect(
            received.texts.first
                == #"{"type":"catalog","view":"sort=shuffle&seed=4","revision":7,"total":4}"#)
        let tokens = try #require(received.texts.first { $0.contains(#""type":"tokens""#) })
        #expect(tokens.hasPrefix(#"{"type":"tokens","view":"sort=shuffle&seed=4","revision":7"#))
        #expect(tokens.components(separatedBy: #""slot""#).count == 5, "four slots: \(tokens)")
        // Back to the plain view.
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        let plain = await fixture.hear { received in received.texts.contains { $0.contains(#""type":"tokens""#) } }
        #expect(plain.texts.contains(#"{"type":"catalog","revision":1,"total":1000}"#))
        await fixture.end()
    }

    @Test func `an invalid view is empty, and the stream continues`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=cake"}"#)
        let received = await fixture.hear { received in received.texts.contains { $0.contains("catalog") } }
        #expect(received.texts.contains(#"{"type":"catalog","view":"sort=cake","revision":0,"total":0}"#))
        #expect(fixture.loader.loads.isEmpty)
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 10 }
        #expect(fixture.loader.loads.count >= 10)
        await fixture.end()
    }

    @Test func `a new viewport cancels the loads and tokens of the slots it leaves out`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":30}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 16 }
        let before = fixture.loader.loads
        #expect(before.count == 16 && before.allSatisfy { $0.priority.level == .visible })
        await fixture.say(#"{"type":"viewport","first":500,"count":30}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 32 }
        #expect(before.allSatisfy { $0.isCancelled })
        let after = fixture.loader.loads.dropFirst(16)
        #expect(after.count >= 16 && after.allSatisfy { !$0.isCancelled && $0.request.image.slot >= 500 })
        #expect(fixture.loader.loads[20].priority > before[0].priority)
        #expect(fixture.tokens.statistics.cancelled == 30 && fixture.limiter.figures.cancelledUnsent == 30)
        await fixture.end()
    }

    @Test func `previews of all visible slots are loaded before any of their tiles`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 16 }
        let loads = fixture.loader.loads.filter { $0.priority.level == .visible }
        let previews = loads.filter { $0.request.rendition == .preview }.map(\.priority)
        let tiles = loads.filter { $0.request.rendition == .tile }.map(\.priority)
        #expect(previews.count == 10 && tiles.count == 6)
        let last = try #require(previews.min())
        let first = try #require(tiles.max())
        #expect(last > first)
        // A tile of a newer viewport has precedence over a preview of an older one.
        let later = Priority(level: .visible, viewport: last.viewport + 1, distance: 9)
        #expect(later > last)
        await fixture.end()
    }

    @Test func `a late result for a slot that has left the viewport is not sent`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":5}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 5 }
        await fixture.say(#"{"type":"viewport","first":500,"count":5}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.contains { $0.request.image.slot >= 500 } }
        // A delivery that was already running when its load was cancelled.
        for load in fixture.loader.loads where load.request.image.slot < 100 { load.succeed() }
        #expect(await fixture.hear().frames.isEmpty)
        let wanted = try #require(fixture.loader.loads.first { $0.request.image.slot >= 500 })
        wanted.succeed()
        #expect(await fixture.hear { !$0.frames.isEmpty }.frames.count == 1)
        await fixture.end()
    }

    @Test func `nothing more is sent for a token that a request cancels`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        let session = try #require(
            try JSONSerialization.jsonObject(with: Data(await fixture.hear().texts[0].utf8)) as? [String: Any])
        let id = try #require((session["session"] as? String).flatMap { SessionID($0) })
        await fixture.say(#"{"type":"viewport","first":0,"count":2}"#)
        let received = await fixture.hear { _ in fixture.loader.loads.count >= 2 }
        let cancelled = try token(of: 0, in: received)
        let load = try #require(fixture.loader.loads.first { $0.request.image.slot == 0 })
        // The piece is loaded, and would be sent next.
        load.succeed()
        _ = await fixture.onLoop { _ in }
        #expect(fixture.tokens.cancel([cancelled], in: id) == 1)
        fixture.loader.holdEverything()
        for load in fixture.loader.loads where load !== fixture.loader.loads[0] { load.succeed() }
        var bytes: [UInt8] = []
        cancelled.appendBytes(to: &bytes)
        let sent = await fixture.hear { $0.frames.count >= 4 }.frames
        #expect(sent.count >= 2 && !sent.contains { $0.token == bytes })
        #expect(fixture.tokens.statistics.cancelled == 1)
        await fixture.end()
    }

    @Test func `cancelling a token by a request ends its loads in flight`() async throws {
        let fixture = try StreamFixture(total: 1)
        await fixture.open()
        let session = try #require(
            try JSONSerialization.jsonObject(with: Data(await fixture.hear().texts[0].utf8)) as? [String: Any])
        let id = try #require((session["session"] as? String).flatMap { SessionID($0) })
        await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
        let received = await fixture.hear { _ in fixture.loader.loads.count >= 2 }
        let loads = fixture.loader.loads
        #expect(loads.count == 2 && !loads.contains { $0.isCancelled })
        fixture.tokens.cancel([try token(of: 0, in: received)], in: id)
        _ = await fixture.hear(atMost: 0)
        #expect(loads.allSatisfy { $0.isCancelled })
        await fixture.end()
    }

    @Test func `nothing is sent after an acknowledged cancel, even if it is already loaded`() async throws {
        let fixture = try StreamFixture(total: 1)
        fixture.loader.holdEverything()
        await fixture.open()
        let session = try #require(
            try JSONSerialization.jsonObject(with: Data(await fixture.hear().texts[0].utf8)) as? [String: Any])
        let id = try #require((session["session"] as? String).flatMap { SessionID($0) })
        await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
        var received: [StreamFixture.Heard] = []
        while received.isEmpty { received += await fixture.hear(atMost: 1) }
        let token = try token(of: 0, in: received)
        // In one iteration of the loop, so that the stream can learn of the cancellation only from the registry.
        let after = await fixture.onLoop { fixture in
            #expect(fixture.tokens.cancel([token], in: id) == 1)
            return fixture.pull()
        }
        #expect(after.frames.isEmpty)
        await fixture.end()
    }

    @Test func `a failure is sent as a problem, ends the token, and is retried on request`() async throws {
        let fixture = try StreamFixture(total: 1)
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
        _ = await fixture.hear { _ in !fixture.loader.loads.isEmpty }
        fixture.loader.loads[0].deliver(.failure(LoadFailure(status: 502, publicMessage: "The origin is gone.")))
        let frames = await fixture.hear { !$0.frames.isEmpty }.frames
        #expect(frames.count == 1 && frames[0].status == 1 && frames[0].flags == 1 && frames[0].version == 0)
        let problem = try #require(try JSONSerialization.jsonObject(with: Data(frames[0].body)) as? [String: Any])
        #expect(problem["status"] as? Int == 502 && problem["detail"] as? String == "The origin is gone.")
        #expect(fixture.tokens.statistics.failed == 1 && fixture.tokens.statistics.live == 0)
        let count = fixture.loader.loads.count
        await fixture.say(#"{"type":"retry","slots":[0]}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count > count }
        #expect(fixture.loader.loads[count].request.bypassesNegativeCache)
        await fixture.end()
    }

    @Test func `an automatic retry is told when to try and does not bypass the negative cache`() async throws {
        let fixture = try StreamFixture(total: 1)
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
        _ = await fixture.hear { _ in !fixture.loader.loads.isEmpty }
        let failure = LoadFailure(status: 503, publicMessage: "Later.", retryAfter: .milliseconds(6_500))
        fixture.loader.loads[0].deliver(.failure(failure))
        let frames = await fixture.hear { !$0.frames.isEmpty }.frames
        let body = try #require(frames.first).body
        let problem = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(problem["retryAfter"] as? Int == 7, "never too early")
        let count = fixture.loader.loads.count
        await fixture.say(#"{"type":"retry","slots":[0],"insists":false}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count > count }
        #expect(!fixture.loader.loads[count].request.bypassesNegativeCache)
        await fixture.end()
    }

    @Test func `a client is told when its slots wait for an origin, and when that is over`() async throws {
        let fixture = try StreamFixture(total: 2)
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":2}"#)
        let received = await fixture.hear { !$0.texts.filter { $0.contains("slot") }.isEmpty }
        let tokens = try [0, 1].map { try token(of: $0, in: received) }
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 2 }
        fixture.loader.keepSilent(for: .milliseconds(2_999))
        // Once a change of the catalog is announced, the stream has checked at least once.
        fixture.catalog.change(total: 2)
        #expect(await fixture.hear { !$0.texts.filter { $0.contains("catalog") }.isEmpty }.texts.count == 1)
        fixture.loader.keepSilent(for: .seconds(3))
        let told = await fixture.hear { $0.texts.contains { $0.contains("waiting") } }.texts
        #expect(told == [#"{"type":"waiting","tokens":["\#(tokens[0])","\#(tokens[1])"]}"#])
        #expect(await fixture.hear().isEmpty, "it is sent once")
        fixture.loader.keepSilent(for: nil)
        let after = await fixture.hear { $0.texts.contains { $0.contains("waiting") } }.texts
        #expect(after == [#"{"type":"waiting","tokens":[]}"#])
        await fixture.end()
    }

    @Test func `the end of the stream ends its session with all tokens and loads`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":30}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 16 }
        #expect(fixture.tokens.statistics.live == 30 && fixture.limiter.figures.open == 1)
        await fixture.end()
        #expect(fixture.loader.loads.count >= 16 && fixture.loader.loads.allSatisfy { $0.isCancelled })
        #expect(fixture.tokens.statistics.live == 0 && fixture.tokens.statistics.sessions == 0)
        #expect(fixture.tokens.statistics.cancelled == 30 && fixture.limiter.figures.open == 0)
    }

    @Test func `a stream beyond the limit is refused and gets no session`() async throws {
        let fixture = try StreamFixture(maximumStreams: 0)
        await fixture.open()
        #expect(await fixture.hear().isEmpty)
        #expect(fixture.limiter.figures.refused == 1 && fixture.tokens.statistics.sessions == 0)
        await fixture.end()
        #expect(fixture.limiter.figures.open == 0)
    }

    @Test func `a load's priority follows its slot into and out of the viewport`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":4}"#)
        _ = await fixture.hear { _ in
            // Loads for slots on screen succeed; those for slots ahead stay pending.
            for load in fixture.loader.loads where load.request.image.slot < 4 { load.succeed() }
            return fixture.loader.loads.contains { $0.request.image.slot == 4 }
        }
        let ahead = try #require(fixture.loader.loads.first { $0.request.image.slot == 4 })
        #expect(ahead.priority.level == .prefetch)
        await fixture.say(#"{"type":"viewport","first":4,"count":4}"#)
        _ = await fixture.hear()
        #expect(ahead.priority.level == .visible && !ahead.isCancelled)
        await fixture.say(#"{"type":"viewport","first":0,"count":4}"#)
        _ = await fixture.hear()
        #expect(ahead.priority.level == .prefetch && !ahead.isCancelled)
        await fixture.end()
    }
}
