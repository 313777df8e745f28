import Images
import InMemoryTracing
import Origins
import Renditions
import Scheduling
import Testing
import Tracing

@testable import Loading

/// What traces tell of loads: one span for each piece of work however many wait, and none that never ends.
@Suite(.timeLimit(.minutes(1))) struct TracingPromiseTests {
    private let tracer = InMemoryTracer()

    private func house(others: MockOthers? = nil) throws -> TestHouse {
        try TestHouse(others: others) { $0.tracer = tracer }
    }

    private func span(_ name: String) throws -> FinishedInMemorySpan {
        let named = tracer.finishedSpans.filter { $0.operationName == name }
        try #require(named.count == 1, "\(name) among \(tracer.finishedSpans.map(\.operationName))")
        return named[0]
    }

    private func expectSteps(_ steps: [String], of name: String) throws {
        let load = try span(name)
        let children = tracer.finishedSpans.filter { $0.parentSpanID == load.spanID }
        #expect(children.map(\.operationName) == steps)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `a load is a part of what asked for it, and its steps are parts of it`() async throws {
        let house = try house()
        let version = house.write(picture(50), to: 1)
        let asking = tracer.startSpan("asking")
        let results = Recorder<TestHouse.Outcome>()
        _ = ServiceContext.withValue(asking.context) {
            house.load(house.local(1, version: version), into: results)
        }
        #expect(await results.element(0).bytes != nil)
        await house.loader.coordinator.settled()
        asking.end()
        try expectSteps(["find", "prepare", "render"], of: "load tile")
        let load = try span("load tile")
        #expect(load.parentSpanID == asking.context.inMemorySpanContext?.spanID)
        #expect(load.attributes.get("tessera.image") == .string("\(ImageID(rawValue: 1))"))
        #expect(load.attributes.get("tessera.format") == .string("webp"))
        #expect(load.status == nil)
        await house.close()
    }

    @Test func `who waits for the same is linked to the one load there is`() async throws {
        let house = try house()
        let results = Recorder<TestHouse.Outcome>()
        let asking = (0..<10).map { tracer.startSpan("asking \($0)") }
        for span in asking {
            _ = ServiceContext.withValue(span.context) { house.load(house.remote(1), into: results) }
        }
        await house.origins.fetches.element(0).answer(picture(100))
        #expect(await results.first(10).allSatisfy { $0.bytes != nil })
        await house.loader.coordinator.settled()
        for span in asking { span.end() }
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load tile")
        let load = try span("load tile")
        #expect(load.parentSpanID == asking[0].context.inMemorySpanContext?.spanID)
        #expect(
            load.links.map { $0.context.inMemorySpanContext?.spanID }
                == asking.dropFirst().map { $0.context.inMemorySpanContext?.spanID })
        #expect(try span("fetch").attributes.get("server.address") == .string("origin"))
        await house.close()
    }

    @Test func `a rendition that waits for another's fetch says so`() async throws {
        let house = try house()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .tile, into: results)
        let fetch = await house.origins.fetches.element(0)
        house.load(house.remote(1), .screen, into: results)
        await house.reached { $0.jobs == 2 && $0.fetches == 1 }
        fetch.answer(picture(100))
        _ = await results.first(2)
        await house.loader.coordinator.settled()
        #expect(house.origins.fetches.count == 1)
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load tile")
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load screen")
        await house.close()
    }

    @Test func `what other machines have is looked for in a step of its own`() async throws {
        let others = MockOthers()
        let house = try house(others: others)
        let version = house.write(picture(50), to: 1)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1, version: version), into: results)
        await others.asked.element(0).tell(.mine(fence: 1))
        #expect(await results.element(0).bytes != nil)
        await house.loader.coordinator.settled()
        try expectSteps(["find", "share", "prepare", "render"], of: "load tile")
        await house.close()
    }

    @Test func `a load that nobody waits for any more ends`() async throws {
        let house = try house()
        let results = Recorder<TestHouse.Outcome>()
        let handle = house.load(house.remote(1), into: results)
        _ = await house.origins.fetches.element(0)
        handle.cancel()
        await house.loader.coordinator.settled()
        try expectSteps(["find", "fetch"], of: "load tile")
        #expect(try span("load tile").attributes.get("tessera.abandoned") == .bool(true))
        await house.close()
    }

    @Test func `a failure is told with its status`() async throws {
        let house = try house()
        let outcome = await house.load(house.local(1))
        #expect(outcome.failure?.status == 404)
        await house.loader.coordinator.settled()
        try expectSteps(["find", "prepare"], of: "load tile")
        let load = try span("load tile")
        #expect(load.status == SpanStatus(code: .error, message: "Gone."))
        #expect(load.attributes.get("error.type") == .string("404"))
        await house.close()
    }

    @Test func `an original that streams is under way until it has been let go of`() async throws {
        let house = try house()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(100_000)))
        fetch.send(.bytes(picture(100_000)))
        let growing = try #require(await results.element(0).growing)
        await house.loader.coordinator.settled()
        #expect(!tracer.activeSpans.isEmpty)
        fetch.send(.finished)
        #expect(try await growing.rest().count == 100_000)
        await house.reached { $0.jobs == 0 }
        try expectSteps(["find", "fetch"], of: "load original")
        #expect(try span("load original").attributes.get("tessera.abandoned") == nil)
        await house.close()
    }

    @Test func `what is in memory, and what is made for later, is no work of anybody's`() async throws {
        let house = try house()
        let version = house.write(picture(50), to: 1)
        let image = house.local(1, version: version)
        let results = Recorder<TestHouse.Outcome>()
        var request = LoadRequest(image: image, rendition: .tile, format: .webp)
        request.isForLater = true
        _ = house.loader.load(request, priority: .prefetch()) { results.record($0) }
        #expect(await results.element(0).bytes != nil)
        await house.loader.coordinator.settled()
        #expect(tracer.finishedSpans.isEmpty)
        _ = await house.load(image)
        tracer.clearFinishedSpans()
        _ = await house.load(image)
        await house.loader.coordinator.settled()
        #expect(tracer.finishedSpans.isEmpty)
        #expect(tracer.activeSpans.isEmpty)
        await house.close()
    }

    @Test func `a stop ends what is under way`() async throws {
        let house = try house()
        let results = Recorder<TestHouse.Outcome>()
        for id in 1...5 as ClosedRange<UInt64> { house.load(house.remote(id), into: results) }
        _ = await house.origins.fetches.element(4)
        await house.close()
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count { $0.operationName == "load tile" } == 5)
    }
}
