import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// Loads that the plan of a stream has given up.
@Suite(.timeLimit(.minutes(1))) struct GivenUpLoadsTests {
    @Test func `a load that the plan has given up is cancelled when the stream ends`() async throws {
        let fixture = try StreamFixture()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":30}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 16 }
        await fixture.onLoop { for piece in $0.session.plan.loads.keys { $0.session.plan.abandon(piece) } }
        await fixture.end()
        #expect(fixture.loader.loads.count >= 16 && fixture.loader.loads.allSatisfy { $0.isCancelled })
    }

    @Test func `a late result of a load that was given up does not end the load that followed it`() async throws {
        let fixture = try StreamFixture(total: 1)
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":1}"#)
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 2 }
        let before = fixture.loader.loads
        await fixture.onLoop { for piece in $0.session.plan.loads.keys { $0.session.plan.abandon(piece) } }
        _ = await fixture.hear { _ in fixture.loader.loads.count >= 4 }
        // The results were already on the way when their loads were cancelled.
        for load in before { load.deliver(.failure(LoadFailure(status: 502, publicMessage: "Late."))) }
        #expect(await fixture.hear().frames.isEmpty)
        let after = fixture.loader.loads.dropFirst(before.count)
        #expect(before.count == 2 && after.count == 2 && after.allSatisfy { !$0.isCancelled })
        for load in after { load.succeed() }
        let frames = await fixture.hear { $0.frames.count >= 2 }.frames
        #expect(frames.count == 2 && frames.allSatisfy { $0.status == 0 })
        await fixture.end()
    }
}
