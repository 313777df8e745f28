import Decoding
import Glibc
import Logging
import TestSupport
import Testing

@testable import DemoOrigin

@Suite struct DemoOriginTests {
    private func started(_ change: (inout DemoOrigin.Configuration) -> Void = { _ in }) async throws -> (
        DemoOrigin, Client
    ) {
        var configuration = DemoOrigin.Configuration()
        change(&configuration)
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let origin = try DemoOrigin(configuration: configuration, encoder: EncoderHere(), logger: logger)
        return (origin, Client(base: "http://\(try await origin.start())"))
    }

    @Test func `a picture has the number and size in its path`() async throws {
        let (origin, client) = try await started()
        let answer = await client.get("/17/96x64.jpg")
        #expect(answer.status == 200)
        #expect(answer.isWhole)
        #expect(answer.fields["content-type"] == "image/jpeg")
        #expect(answer.fields["cache-control"] == "public, max-age=3600")
        let pixels = try Pixels(decoding: answer.body)
        #expect(pixels.width == 96 && pixels.height == 64)
        #expect(NumberMosaic.read(pixels.bytes, width: 96, height: 64) == 17)
        let own = await client.get(DemoOrigin.pathTemplate.replacing("{index}", with: "17"))
        let drawn = try Pixels(decoding: own.body)
        #expect(NumberMosaic.read(drawn.bytes, width: drawn.width, height: drawn.height) == 17)
        await origin.stop()
    }

    @Test(arguments: [
        "/pictures/x.jpg", "/pictures/-1.jpg", "/pictures/17.png", "/pictures/16777216.jpg", "/1/800x.jpg",
        "/1/800x600x2.jpg", "/1/1x1.jpg", "/1/5000x10.jpg", "/1/99999999999999999999x10.jpg", "/nothing", "/",
    ])
    func `any other path is 404`(_ path: String) async throws {
        let (origin, client) = try await started()
        #expect(await client.get(path).status == 404)
        await origin.stop()
    }

    @Test func `validators, ranges and HEAD work`() async throws {
        let (origin, client) = try await started()
        let whole = await client.get("/3/64x48.jpg")
        let tag = try #require(whole.fields["etag"])
        let modified = try #require(whole.fields["last-modified"])
        #expect(await client.get("/3/64x48.jpg", ["If-None-Match: \(tag)"]).status == 304)
        #expect(await client.get("/3/64x48.jpg", ["If-Modified-Since: \(modified)"]).status == 304)
        let part = await client.get("/3/64x48.jpg", ["Range: bytes=100-", "If-Range: \(tag)"])
        #expect(part.status == 206)
        #expect(part.body == Array(whole.body[100...]))
        #expect(part.fields["content-range"] == "bytes 100-\(whole.body.count - 1)/\(whole.body.count)")
        let head = await client.get("/3/64x48.jpg", method: "HEAD")
        #expect(head.body.isEmpty)
        #expect(head.fields["content-length"] == String(whole.body.count))
        #expect(await eventually { origin.counts.inFlight == 0 })
        #expect(origin.counts.notModified == 2)
        await origin.stop()
    }

    @Test func `requests are counted until the counts are reset`() async throws {
        let (origin, client) = try await started()
        for _ in 0..<3 { _ = await client.get("/5/64x48.jpg") }
        _ = await client.get("/pictures/6.jpg")
        #expect(await eventually { origin.counts.inFlight == 0 })
        #expect(origin.counts.total == 4)
        #expect(origin.counts.pictures == ["5": 3, "6": 1])
        let json = await client.get("/counts").text
        #expect(json.contains(#""pictures":{"5":3,"6":1}"#))
        #expect(json.contains(#""total":4"#))
        #expect(await client.get("/counts/reset", method: "POST").status == 200)
        #expect(origin.counts == DemoOrigin.Counts())
        await origin.stop()
    }

    @Test func `a hung request gets no response, and counts as aborted when its client disconnects`() async throws {
        let (origin, client) = try await started { $0.conditions.hang = 1 }
        let socket = client.connected(sending: client.request("/9/64x48.jpg"))
        #expect(await eventually { origin.counts.inFlight == 1 && origin.counts.accidents == 1 })
        close(socket)
        #expect(await eventually { origin.counts.inFlight == 0 })
        #expect(origin.counts.aborted == 1)
        await origin.stop()
    }

    @Test func `a client that disconnects during the latency costs no drawing`() async throws {
        let (origin, client) = try await started { $0.conditions.latency = 600_000 }
        let socket = client.connected(sending: client.request("/9/64x48.jpg"))
        #expect(await eventually { origin.counts.inFlight == 1 })
        close(socket)
        #expect(await eventually { origin.counts.aborted == 1 && origin.counts.inFlight == 0 })
        await origin.stop()
    }

    @Test func `simulated failures are of several kinds, and retries recover from them`() async throws {
        let (origin, client) = try await started { $0.conditions.fail = 0.6 }
        var kinds: Set<String> = []
        var recovered = 0
        for number in 0..<40 {
            for attempt in 1...30 {
                let answer = await client.get("/\(number)/64x48.jpg")
                guard answer.status != 200 || !answer.isWhole else {
                    recovered += attempt > 1 ? 1 : 0
                    break
                }
                kinds.insert(answer.status != 200 ? "\(answer.status)" : answer.body.isEmpty ? "cut" : "truncated")
            }
        }
        #expect(kinds.isSuperset(of: ["500", "503", "truncated"]))
        #expect(recovered > 10)
        #expect(await eventually { origin.counts.inFlight == 0 })
        #expect(origin.counts.aborted == 0)
        await origin.stop()
    }

    @Test func `conditions can be changed at run time, and invalid ones are rejected`() async throws {
        let (origin, client) = try await started()
        let answer = await client.get("/control", method: "POST", body: #"{"latency":25,"jitter":0.5}"#)
        #expect(answer.status == 200)
        #expect(origin.conditions == DemoOrigin.Conditions(latency: 25, jitter: 0.5))
        let start = ContinuousClock.now
        _ = await client.get("/1/64x48.jpg")
        #expect(start.duration(to: .now) >= .milliseconds(12))
        for nonsense in [#"{"fail":2}"#, #"{"latency":-1}"#, #"{"hang":"often"}"#, "", "[]"] {
            #expect(await client.get("/control", method: "POST", body: nonsense).status == 400, "\(nonsense)")
        }
        #expect(origin.conditions.fail == 0)
        await origin.stop()
    }

    @Test func `a slow picture has the requested length and rate, and can be decoded`() async throws {
        let (origin, client) = try await started()
        let start = ContinuousClock.now
        let answer = await client.get("/slow/harbour?bytes=400000&rate=2000000")
        #expect(start.duration(to: .now) >= .milliseconds(150))
        #expect(answer.body.count == 400_000)
        #expect(answer.isWhole)
        let pixels = try Pixels(decoding: answer.body)
        #expect(NumberMosaic.read(pixels.bytes, width: pixels.width, height: pixels.height) != nil)
        #expect(await client.get("/slow/harbour?bytes=400000").body == answer.body)
        #expect(origin.counts.pictures["harbour"] == 2)
        #expect(await client.get("/slow/harbour?bytes=x").status == 400)
        #expect(await client.get("/slow/harbour?rate=-1").status == 400)
        await origin.stop()
    }

    @Test func `an invalid setting is named in the error`() {
        var configuration = DemoOrigin.Configuration()
        configuration.conditions.hang = 1.5
        #expect { try configuration.validate() } throws: { ($0 as? DemoOrigin.Invalid)?.field == "hang" }
        configuration = DemoOrigin.Configuration()
        configuration.painters = 0
        #expect { try configuration.validate() } throws: { ($0 as? DemoOrigin.Invalid)?.field == "painters" }
        configuration = DemoOrigin.Configuration()
        configuration.conditions.latency = .nan
        #expect { try configuration.validate() } throws: { ($0 as? DemoOrigin.Invalid)?.field == "latency" }
    }
}
