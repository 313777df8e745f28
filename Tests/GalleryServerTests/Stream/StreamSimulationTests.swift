import Glibc
import TestSupport
import Testing

@testable import GalleryServer

/// The stream over typical links, with a simulated clock. These figures leave out the client's part: a fifth of a
/// second of decoding and painting.
@Suite(.unsanitized) struct StreamSimulationTests {
    typealias Link = StreamSimulation.Link

    static let links = [
        Link(rate: 2_500_000, roundTrip: 0.06), Link(rate: 2_500_000, roundTrip: 0.2),
        Link(rate: 200_000, roundTrip: 0.4),
    ]

    @Test(arguments: links.indices)
    func `after an abrupt stop the tiles arrive nearly as fast as the link allows`(index: Int) {
        let link = Self.links[index]
        var simulation = StreamSimulation(link)
        simulation.settle(at: 0)
        simulation.scroll(for: 2) { $0 * 500 }
        let stop = simulation.now
        let shown = Double(simulation.slotsShown) / Double(simulation.slotsSeen)
        if index < 2 { #expect(shown > (index == 0 ? 0.95 : 0.85), "\(shown)") }
        simulation.pass(until: { $0.hasPreviews })
        #expect(simulation.now - stop < (index < 2 ? 0.05 : link.roundTrip + 0.3), "\(simulation.now - stop)")
        simulation.pass(until: { $0.hasTiles })
        #expect(simulation.now - stop < 1.1 * simulation.limit())
        #expect(simulation.bytesOffScreen(since: stop) <= Self.speculation(link))
    }

    /// The maximum number of bytes in flight for slots ahead: a tile and 16 KB; 64 KB if the link delivers those in
    /// 0.16 s; or what it delivers in two frames.
    private static func speculation(_ link: Link) -> Int {
        max(PlanFixture.tileBytes + 16_384, Int(1.05 * max(0.032 * link.rate, min(0.16 * link.rate, 65_536))))
    }

    @Test(arguments: links.indices)
    func `after a fling that slows down tiles were already sent before the stop`(index: Int) {
        var simulation = StreamSimulation(Self.links[index])
        simulation.settle(at: 0)
        simulation.scroll(for: 2, landing: 1_000) { 1_000 * (1 - exp(-$0 / 0.325)) / (1 - exp(-2 / 0.325)) }
        let stop = simulation.now
        simulation.pass(until: { $0.hasTiles })
        #expect(simulation.now - stop < 0.8 * simulation.limit())
        #expect(simulation.bytesOffScreen(since: stop) <= Self.speculation(Self.links[index]))
    }

    @Test(arguments: links.indices)
    func `after a jump the tiles arrive nearly as fast as the link allows`(index: Int) {
        var simulation = StreamSimulation(Self.links[index])
        simulation.settle(at: 0)
        let jump = simulation.now
        simulation.report(Viewport(first: 50_000, count: 40))
        simulation.pass(until: { $0.hasTiles })
        #expect(simulation.now - jump < 1.1 * simulation.limit())
    }

    @Test(arguments: links.indices.dropLast())
    func `while scrolling slowly every slot has its picture when it becomes visible`(index: Int) {
        var simulation = StreamSimulation(Self.links[index])
        simulation.settle(at: 0)
        simulation.scroll(for: 3) { $0 * 16 }
        #expect(simulation.slotsShown == simulation.slotsSeen)
        let stop = simulation.now
        simulation.pass(until: { $0.hasTiles })
        #expect(simulation.now - stop < Self.links[index].roundTrip + 0.1)
    }

    @Test func `while scrolling slowly a barely sufficient link is not left idle`() {
        let link = Self.links[2]
        var simulation = StreamSimulation(link)
        simulation.settle(at: 0)
        let slot = Double(PlanFixture.tileBytes + PlanFixture.previewBytes + 2 * RenditionHead.length)
        simulation.scroll(for: 4) { $0 * 0.97 * link.rate / slot }
        let stop = simulation.now
        #expect(Double(simulation.slotsShown) / Double(simulation.slotsSeen) > 0.95)
        simulation.pass(until: { $0.hasTiles })
        #expect(simulation.now - stop < 1.5 * link.roundTrip, "\(simulation.now - stop)")
    }
}
