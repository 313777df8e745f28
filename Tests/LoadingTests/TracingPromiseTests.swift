import Images
import InMemoryTracing
import Origins
import Renditions
import Scheduling
import Testing
import Tracing

@testable import Loading

/// Traces of loads: each piece of work has one span, however many waiters it has, and every span ends.
@Suite(.timeLimit(.minutes(1))) struct TracingPromiseTests {
    private let tracer = InMemoryTracer()

    private func fixture(others: MockCoordination? = nil) throws -> LoaderFixture {
        try LoaderFixture(others: others) { $0.tracer = tracer }
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

    @Test func `a load's span is a child of its request's span, and its steps are children of the load`() async throws {
        let fixture = try fixture()
        let version = fixture.write(picture(50), to: 1)
        let asking = tracer.startSpan("asking")
        let results = Recorder<LoaderFixture.Outcome>()
        _ = ServiceContext.withValue(asking.context) {
            fixture.load(fixture.local(1, version: version), into: results)
        }
        #expect(await results.element(0).bytes != nil)
        await fixture.loader.coordinator.settled()
        asking.end()
        try expectSteps(["find", "prepare", "render"], of: "load tile")
        let load = try span("load tile")
        #expect(load.parentSpanID == asking.context.inMemorySpanContext?.spanID)
        #expect(load.attributes.get("tessera.image") == .string("\(ImageID(rawValue: 1))"))
        #expect(load.attributes.get("tessera.format") == .string("webp"))
        #expect(load.status == nil)
        await fixture.close()
    }

    @Test func `the spans of further waiters are linked to the one load`() async throws {
        let fixture = try fixture()
        let results = Recorder<LoaderFixture.Outcome>()
        let asking = (0..<10).map { tracer.startSpan("asking \($0)") }
        for span in asking {
            _ = ServiceContext.withValue(span.context) { fixture.load(fixture.remote(1), into: results) }
        }
        await fixture.origins.fetches.element(0).answer(picture(100))
        #expect(await results.first(10).allSatisfy { $0.bytes != nil })
        await fixture.loader.coordinator.settled()
        for span in asking { span.end() }
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load tile")
        let load = try span("load tile")
        #expect(load.parentSpanID == asking[0].context.inMemorySpanContext?.spanID)
        #expect(
            load.links.map { $0.context.inMemorySpanContext?.spanID }
                == asking.dropFirst().map { $0.context.inMemorySpanContext?.spanID })
        #expect(try span("fetch").attributes.get("server.address") == .string("origin"))
        await fixture.close()
    }

    @Test func `a rendition that waits for another one's fetch has a fetch step of its own`() async throws {
        let fixture = try fixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .tile, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fixture.load(fixture.remote(1), .screen, into: results)
        // The second load waits for the fetch once it has found nothing.
        await fixture.reached { [tracer] in
            $0.jobs == 2 && $0.fetches == 1 && tracer.finishedSpans.count { $0.operationName == "find" } == 2
        }
        fetch.answer(picture(100))
        _ = await results.first(2)
        await fixture.loader.coordinator.settled()
        #expect(fixture.origins.fetches.count == 1)
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load tile")
        try expectSteps(["find", "fetch", "prepare", "render"], of: "load screen")
        await fixture.close()
    }

    @Test func `looking for another node's rendition is a step of its own`() async throws {
        let others = MockCoordination()
        let fixture = try fixture(others: others)
        let version = fixture.write(picture(50), to: 1)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1, version: version), into: results)
        await others.asked.element(0).announce(.granted(fence: 1))
        #expect(await results.element(0).bytes != nil)
        await fixture.loader.coordinator.settled()
        try expectSteps(["find", "share", "prepare", "render"], of: "load tile")
        await fixture.close()
    }

    @Test func `the span of an abandoned load ends and is marked as abandoned`() async throws {
        let fixture = try fixture()
        let results = Recorder<LoaderFixture.Outcome>()
        let handle = fixture.load(fixture.remote(1), into: results)
        _ = await fixture.origins.fetches.element(0)
        handle.cancel()
        await fixture.loader.coordinator.settled()
        try expectSteps(["find", "fetch"], of: "load tile")
        #expect(try span("load tile").attributes.get("tessera.abandoned") == .bool(true))
        await fixture.close()
    }

    @Test func `the span of a failed load has the status of the failure`() async throws {
        let fixture = try fixture()
        let outcome = await fixture.load(fixture.local(1))
        #expect(outcome.failure?.status == 404)
        await fixture.loader.coordinator.settled()
        try expectSteps(["find", "prepare"], of: "load tile")
        let load = try span("load tile")
        #expect(load.status == SpanStatus(code: .error, message: "Gone."))
        #expect(load.attributes.get("error.type") == .string("404"))
        await fixture.close()
    }

    @Test func `the span of a streamed original lasts until the original is complete and read`() async throws {
        let fixture = try fixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(100_000)))
        fetch.send(.bytes(picture(100_000)))
        let growing = try #require(await results.element(0).partialOriginal)
        await fixture.loader.coordinator.settled()
        #expect(!tracer.activeSpans.isEmpty)
        fetch.send(.finished)
        #expect(try await growing.rest().count == 100_000)
        await fixture.reached { $0.jobs == 0 }
        try expectSteps(["find", "fetch"], of: "load original")
        #expect(try span("load original").attributes.get("tessera.abandoned") == nil)
        await fixture.close()
    }

    @Test func `memory hits and background renditions have no spans`() async throws {
        let fixture = try fixture()
        let version = fixture.write(picture(50), to: 1)
        let image = fixture.local(1, version: version)
        let results = Recorder<LoaderFixture.Outcome>()
        var request = LoadRequest(image: image, rendition: .tile, format: .webp)
        request.isPrefill = true
        fixture.loader.begin(request, priority: .prefetch()) { results.record($0) }
        #expect(await results.element(0).bytes != nil)
        await fixture.loader.coordinator.settled()
        #expect(tracer.finishedSpans.isEmpty)
        _ = await fixture.load(image)
        tracer.clearFinishedSpans()
        _ = await fixture.load(image)
        await fixture.loader.coordinator.settled()
        #expect(tracer.finishedSpans.isEmpty)
        #expect(tracer.activeSpans.isEmpty)
        await fixture.close()
    }

    @Test func `a shutdown ends all active spans`() async throws {
        let fixture = try fixture()
        let results = Recorder<LoaderFixture.Outcome>()
        for id in 1...5 as ClosedRange<UInt64> { fixture.load(fixture.remote(id), into: results) }
        _ = await fixture.origins.fetches.element(4)
        await fixture.close()
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.count { $0.operationName == "load tile" } == 5)
    }
}
