import Testing

@testable import GalleryServer

/// Larger previews are sent only where their bytes do not matter.
@Suite struct WideLinkTests {
    private func viewport(rate: Double?, savesData: Bool = false) -> Viewport {
        Viewport(first: 0, count: 20, savesData: savesData, rate: rate)
    }

    @Test func `until the link is measured, the rate counts at which the page arrived`() {
        var fixture = PlanFixture()
        #expect(!fixture.plan.isLinkWide)
        for (rate, isWide) in [(nil, false), (200_000, false), (10_000_000, true)] as [(Double?, Bool)] {
            fixture.show(viewport(rate: rate))
            #expect(fixture.plan.isLinkWide == isWide)
        }
    }

    @Test func `what the stream measures takes precedence`() {
        var fast = PlanFixture.on(rate: 5_000_000)
        #expect(fast.plan.isLinkWide)
        fast.show(viewport(rate: 200_000))
        #expect(fast.plan.isLinkWide)
        var slow = PlanFixture.on(rate: 200_000)
        slow.show(viewport(rate: 10_000_000))
        #expect(!slow.plan.isLinkWide)
    }

    @Test func `whoever pays for data gets small previews`() {
        var fixture = PlanFixture.on(rate: 5_000_000)
        fixture.show(viewport(rate: 10_000_000, savesData: true))
        #expect(!fixture.plan.isLinkWide)
    }
}
