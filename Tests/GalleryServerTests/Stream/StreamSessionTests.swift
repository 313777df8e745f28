import Addresses
import Clients
import Foundation
import HTTPServer
import Images
import Loading
import Scheduling
import TestSupport
import Testing

@testable import GalleryServer

@Suite(.timeLimit(.minutes(1))) struct StreamSessionTests {
    /// What the client was told of slots: by token, in its 16 bytes.
    private func told(_ heard: [StreamHouse.Heard]) throws -> [[UInt8]: Int] {
        var told: [[UInt8]: Int] = [:]
        for text in heard.texts {
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

    private func token(of slot: Int, in heard: [StreamHouse.Heard]) throws -> Token {
        let message = try #require(heard.texts.first { $0.contains("\"slot\":\(slot),") })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
        let entry = try #require((object["tokens"] as? [[String: Any]])?.first { $0["slot"] as? Int == slot })
        return try #require((entry["token"] as? String).flatMap { Token($0) })
    }

    @Test func `the first message is the session, and a viewport brings all of its slots`() async throws {
        let house = try StreamHouse()
        house.loader.holdEverything()
        await house.open()
        let greeting = await house.hear()
        #expect(greeting.texts.count == 1 && greeting.texts[0].hasPrefix(#"{"type":"session","session":""#))
        await house.say(#"{"type":"viewport","first":100,"count":10}"#)
        let heard = await house.hear { $0.frames.count >= 50 }
        let told = try told(heard)
        let first = heard.frames.prefix(20)
        #expect(Set(first.compactMap { told[$0.token] }) == Set(100..<110))
        #expect(first.map(\.kind) == Array(repeating: 1, count: 10) + Array(repeating: 2, count: 10))
        #expect(
            heard.frames.allSatisfy { told[$0.token] != nil && $0.status == 0 && $0.format == 2 && $0.version == 1 })
        #expect(heard.frames.allSatisfy { $0.flags == ($0.kind == 2 ? 1 : 0) && $0.body.count == 100 })
        let statistics = house.tokens.statistics
        #expect(statistics.delivered == 25 && statistics.live == 0)
        #expect(house.census.figures.previews == 25 && house.census.figures.tileBytes == 25 * 128)
        await house.end()
    }

    @Test func `a ping is answered once, though every picture is still waited for`() async throws {
        let house = try StreamHouse()
        await house.open()
        #expect(try #require(await house.hear().texts.first).hasSuffix(#""pings":true}"#))
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 10 }
        await house.say(#"{"type":"ping"}"#)
        let heard = await house.hear { $0.texts.contains(#"{"type":"pong"}"#) }
        #expect(heard.texts.filter { $0.contains("pong") }.count == 1)
        #expect(house.loader.loads.count >= 10 && house.tokens.statistics.cancelled == 0)
        await house.end()
    }

    @Test func `a session that made room for others leaves no slot on screen without its picture`() async throws {
        let house = try StreamHouse()
        await house.open()
        let greeting = try #require(await house.hear().texts.first)
        let id = try #require(SessionID(String(greeting.split(separator: "\"")[7])))
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in !house.loader.loads.isEmpty }
        #expect(house.tokens.close(id) > 0)
        house.loader.holdEverything()
        let heard = await house.hear { $0.frames.filter { $0.kind == 2 }.count >= 10 }
        let told = try told(heard)
        #expect(Set(heard.frames.filter { $0.kind == 2 }.compactMap { told[$0.token] }).isSuperset(of: 0..<10))
        await house.end()
    }

    @Test func `nor when the stream goes on before it has heard of that`() async throws {
        let house = try StreamHouse()
        await house.open()
        let greeting = try #require(await house.hear().texts.first)
        let id = try #require(SessionID(String(greeting.split(separator: "\"")[7])))
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 10 }
        for load in house.loader.loads { load.succeed() }
        house.loader.holdEverything()
        // What was at hand would be sent next; the session's end is told after this turn.
        let early = await house.onLoop { house -> [StreamHouse.Heard] in
            house.tokens.close(id)
            guard case .text(let text)? = house.session.nextMessage() else { return [] }
            return [.text(text)]
        }
        let heard = await house.hear { $0.frames.filter { $0.kind == 2 }.count >= 10 }
        let told = try told(early + heard)
        #expect(Set(heard.frames.filter { $0.kind == 2 }.compactMap { told[$0.token] }).isSuperset(of: 0..<10))
        await house.end()
    }

    @Test func `of several viewports in one turn only the newest counts`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(
            #"{"type":"viewport","first":0,"count":10}"#, #"{"type":"viewport","first":300,"count":10}"#,
            #"{"type":"viewport","first":600,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 10 }
        let loads = house.loader.loads
        #expect(loads.count >= 10 && loads.allSatisfy { 585..<630 ~= $0.request.image.slot })
        #expect(house.census.figures.viewports == 1)
        await house.end()
    }

    @Test func `whose turn has not come shows its newest viewport when it does, and nothing of another meanwhile`()
        async throws
    {
        let house = try StreamHouse()
        house.loader.holdEverything()
        await house.open()
        await house.say(#"{"type":"viewport","first":100,"count":10}"#)
        _ = await house.hear { $0.frames.count >= 20 }
        // Others are at work, and this client has had its share.
        let now = house.time.uptime().inSeconds
        house.pace.note(Client(.v4(0xC000_0201)), now: now)
        while house.pace.take(of: Client(.v4(0x7F00_0001)), now: now) < 1.5 {}
        await house.say(
            #"{"type":"viewport","first":500,"count":10}"#, #"{"type":"viewport","first":700,"count":10}"#)
        #expect(await house.hear().isEmpty)
        let heard = await house.hear { $0.frames.count >= 20 }
        #expect(Set(try told(heard).values).isSuperset(of: 700..<710))
        #expect(try told(heard).values.allSatisfy { $0 >= 600 })
        #expect(house.census.figures.viewports == 2)
        await house.end()
    }

    @Test func `another view ends all tokens of the one before and is told of first`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 10 }
        let before = house.loader.loads
        await house.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=4"}"#)
        let heard = await house.hear { heard in heard.texts.contains { $0.contains(#""type":"tokens""#) } }
        #expect(before.allSatisfy { $0.isCancelled } && before.count >= 10)
        #expect(
            heard.texts.first
                == #"{"type":"catalog","view":"sort=shuffle&seed=4","revision":7,"total":4}"#)
        let tokens = try #require(heard.texts.first { $0.contains(#""type":"tokens""#) })
        #expect(tokens.hasPrefix(#"{"type":"tokens","view":"sort=shuffle&seed=4","revision":7"#))
        #expect(tokens.components(separatedBy: #""slot""#).count == 5, "four slots: \(tokens)")
        // And back again.
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        let plain = await house.hear { heard in heard.texts.contains { $0.contains(#""type":"tokens""#) } }
        #expect(plain.texts.contains(#"{"type":"catalog","revision":1,"total":1000}"#))
        await house.end()
    }

    @Test func `a text that names no view has nothing in it, and the stream lives on`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=cake"}"#)
        let heard = await house.hear { heard in heard.texts.contains { $0.contains("catalog") } }
        #expect(heard.texts.contains(#"{"type":"catalog","view":"sort=cake","revision":0,"total":0}"#))
        #expect(house.loader.loads.isEmpty)
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 10 }
        #expect(house.loader.loads.count >= 10)
        await house.end()
    }

    @Test func `a new viewport cancels the loads and tokens of what it leaves out`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":30}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 16 }
        let before = house.loader.loads
        #expect(before.count == 16 && before.allSatisfy { $0.priority.lane == .visible })
        await house.say(#"{"type":"viewport","first":500,"count":30}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 32 }
        #expect(before.allSatisfy { $0.isCancelled })
        let after = house.loader.loads.dropFirst(16)
        #expect(after.count >= 16 && after.allSatisfy { !$0.isCancelled && $0.request.image.slot >= 500 })
        #expect(house.loader.loads[20].priority > before[0].priority)
        #expect(house.tokens.statistics.cancelled == 30 && house.census.figures.cancelledUnsent == 30)
        await house.end()
    }

    @Test func `every slot on screen has its preview made before any has its tile made`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":10}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 16 }
        let loads = house.loader.loads.filter { $0.priority.lane == .visible }
        let previews = loads.filter { $0.request.rendition == .preview }.map(\.priority)
        let tiles = loads.filter { $0.request.rendition == .tile }.map(\.priority)
        #expect(previews.count == 10 && tiles.count == 6)
        let last = try #require(previews.min())
        let first = try #require(tiles.max())
        #expect(last > first)
        // A tile of what was asked for later goes before a preview of what was asked for before.
        let later = Priority(lane: .visible, viewport: last.viewport + 1, distance: 9)
        #expect(later > last)
        await house.end()
    }

    @Test func `what is loaded late for a slot that was left is not sent`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":5}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 5 }
        await house.say(#"{"type":"viewport","first":500,"count":5}"#)
        _ = await house.hear { _ in house.loader.loads.contains { $0.request.image.slot >= 500 } }
        // A delivery that was already running when its load was cancelled.
        for load in house.loader.loads where load.request.image.slot < 100 { load.succeed() }
        #expect(await house.hear().frames.isEmpty)
        let wanted = try #require(house.loader.loads.first { $0.request.image.slot >= 500 })
        wanted.succeed()
        #expect(await house.hear { !$0.frames.isEmpty }.frames.count == 1)
        await house.end()
    }

    @Test func `a token that a request cancels is sent nothing more, and its loads end`() async throws {
        let house = try StreamHouse()
        await house.open()
        let session = try #require(
            try JSONSerialization.jsonObject(with: Data(await house.hear().texts[0].utf8)) as? [String: Any])
        let id = try #require((session["session"] as? String).flatMap { SessionID($0) })
        await house.say(#"{"type":"viewport","first":0,"count":2}"#)
        let heard = await house.hear { _ in house.loader.loads.count >= 2 }
        let cancelled = try token(of: 0, in: heard)
        let load = try #require(house.loader.loads.first { $0.request.image.slot == 0 })
        // It is at hand, and would be the next to go.
        load.succeed()
        _ = await house.onLoop { _ in }
        #expect(house.tokens.cancel([cancelled], in: id) == 1)
        #expect(load.isCancelled)
        house.loader.holdEverything()
        for load in house.loader.loads where load !== house.loader.loads[0] { load.succeed() }
        var bytes: [UInt8] = []
        cancelled.appendBytes(to: &bytes)
        let sent = await house.hear { $0.frames.count >= 4 }.frames
        #expect(sent.count >= 2 && !sent.contains { $0.token == bytes })
        #expect(house.tokens.statistics.cancelled == 1)
        await house.end()
    }

    @Test func `a cancel counts from the moment that it is acknowledged, whatever is at hand`() async throws {
        let house = try StreamHouse(total: 1)
        house.loader.holdEverything()
        await house.open()
        let session = try #require(
            try JSONSerialization.jsonObject(with: Data(await house.hear().texts[0].utf8)) as? [String: Any])
        let id = try #require((session["session"] as? String).flatMap { SessionID($0) })
        await house.say(#"{"type":"viewport","first":0,"count":1}"#)
        var heard: [StreamHouse.Heard] = []
        while heard.isEmpty { heard += await house.hear(atMost: 1) }
        let token = try token(of: 0, in: heard)
        // In one turn of the loop, so that nothing but the book can tell of it.
        let after = await house.onLoop { house in
            #expect(house.tokens.cancel([token], in: id) == 1)
            return house.pull()
        }
        #expect(after.frames.isEmpty)
        await house.end()
    }

    @Test func `a failure is told with its problem and ends the token, and is tried again when asked`() async throws {
        let house = try StreamHouse(total: 1)
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":1}"#)
        _ = await house.hear { _ in !house.loader.loads.isEmpty }
        house.loader.loads[0].deliver(.failure(LoadFailure(status: 502, publicMessage: "The origin is gone.")))
        let frames = await house.hear { !$0.frames.isEmpty }.frames
        #expect(frames.count == 1 && frames[0].status == 1 && frames[0].flags == 1 && frames[0].version == 0)
        let problem = try #require(try JSONSerialization.jsonObject(with: Data(frames[0].body)) as? [String: Any])
        #expect(problem["status"] as? Int == 502 && problem["detail"] as? String == "The origin is gone.")
        #expect(house.tokens.statistics.failed == 1 && house.tokens.statistics.live == 0)
        let count = house.loader.loads.count
        await house.say(#"{"type":"retry","slots":[0]}"#)
        _ = await house.hear { _ in house.loader.loads.count > count }
        #expect(house.loader.loads[count].request.bypassNegativeCache)
        await house.end()
    }

    @Test func `a client that asks again by itself does not go past what is remembered, and knows when to ask`()
        async throws
    {
        let house = try StreamHouse(total: 1)
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":1}"#)
        _ = await house.hear { _ in !house.loader.loads.isEmpty }
        let failure = LoadFailure(status: 503, publicMessage: "Later.", retryAfter: .milliseconds(6_500))
        house.loader.loads[0].deliver(.failure(failure))
        let frames = await house.hear { !$0.frames.isEmpty }.frames
        let body = try #require(frames.first).body
        let problem = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(problem["retryAfter"] as? Int == 7, "never too early")
        let count = house.loader.loads.count
        await house.say(#"{"type":"retry","slots":[0],"insists":false}"#)
        _ = await house.hear { _ in house.loader.loads.count > count }
        #expect(!house.loader.loads[count].request.bypassNegativeCache)
        await house.end()
    }

    @Test func `who waits for an origin is told so, and when that is over`() async throws {
        let house = try StreamHouse(total: 2)
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":2}"#)
        let heard = await house.hear { !$0.texts.filter { $0.contains("slot") }.isEmpty }
        let tokens = try [0, 1].map { try token(of: $0, in: heard) }
        _ = await house.hear { _ in house.loader.loads.count >= 2 }
        house.loader.keepSilent(for: .milliseconds(2_999))
        // The stream has looked at least once when a change of the catalog is told.
        house.catalog.change(total: 2)
        #expect(await house.hear { !$0.texts.filter { $0.contains("catalog") }.isEmpty }.texts.count == 1)
        house.loader.keepSilent(for: .seconds(3))
        let told = await house.hear { $0.texts.contains { $0.contains("waiting") } }.texts
        #expect(told == [#"{"type":"waiting","tokens":["\#(tokens[0])","\#(tokens[1])"]}"#])
        #expect(await house.hear().isEmpty, "it is said once")
        house.loader.keepSilent(for: nil)
        let after = await house.hear { $0.texts.contains { $0.contains("waiting") } }.texts
        #expect(after == [#"{"type":"waiting","tokens":[]}"#])
        await house.end()
    }

    @Test func `when the stream ends its session ends with all its tokens and loads`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":30}"#)
        _ = await house.hear { _ in house.loader.loads.count >= 16 }
        #expect(house.tokens.statistics.live == 30 && house.census.figures.open == 1)
        await house.end()
        #expect(house.loader.loads.count >= 16 && house.loader.loads.allSatisfy { $0.isCancelled })
        #expect(house.tokens.statistics.live == 0 && house.tokens.statistics.sessions == 0)
        #expect(house.tokens.statistics.cancelled == 30 && house.census.figures.open == 0)
    }

    @Test func `one stream too many is told to come later, and counts for nothing`() async throws {
        let house = try StreamHouse(maximumStreams: 0)
        await house.open()
        #expect(await house.hear().isEmpty)
        #expect(house.census.figures.refused == 1 && house.tokens.statistics.sessions == 0)
        await house.end()
        #expect(house.census.figures.open == 0)
    }

    @Test func `what becomes visible is asked for as such, and what leaves loses it`() async throws {
        let house = try StreamHouse()
        await house.open()
        await house.say(#"{"type":"viewport","first":0,"count":4}"#)
        _ = await house.hear { _ in
            // What is on screen comes; what is ahead does not.
            for load in house.loader.loads where load.request.image.slot < 4 { load.succeed() }
            return house.loader.loads.contains { $0.request.image.slot == 4 }
        }
        let ahead = try #require(house.loader.loads.first { $0.request.image.slot == 4 })
        #expect(ahead.priority.lane == .prefetch)
        await house.say(#"{"type":"viewport","first":4,"count":4}"#)
        _ = await house.hear()
        #expect(ahead.priority.lane == .visible && !ahead.isCancelled)
        await house.say(#"{"type":"viewport","first":0,"count":4}"#)
        _ = await house.hear()
        #expect(ahead.priority.lane == .prefetch && !ahead.isCancelled)
        await house.end()
    }
}
