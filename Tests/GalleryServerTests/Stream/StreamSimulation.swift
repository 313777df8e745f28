import Images

@testable import GalleryServer

/// Runs a plan over a link with a certain rate and round trip, with a scrolling client and a simulated clock.
///
/// The link sends one byte after another. The socket is writable while fewer than `socketBytes` wait in front of the
/// link. The client reports its viewport every 16 ms while it scrolls, and acknowledges bytes as they arrive. Every
/// lookup is a memory hit.
struct StreamSimulation {
    struct Link {
        /// Bytes per second.
        var rate: Double
        /// In seconds.
        var roundTrip: Double
        /// The capacity of the socket and the link's queue, in bytes.
        var socketBytes = 96 << 10
    }

    private struct Arrival {
        var moment: Double
        var sent: PlanFixture.Sent
    }

    let link: Link
    var fixture: PlanFixture
    /// When each slot received which rendition, by the client's clock.
    private(set) var previews: [Int: Double] = [:]
    private(set) var tiles: [Int: Double] = [:]
    private(set) var log: [(moment: Double, sent: PlanFixture.Sent)] = []
    private(set) var slotsSeen = 0
    private(set) var slotsShown = 0
    private var viewport = Viewport(first: 0, count: 40)
    private var lineFree = 0.0
    private var arrivals: [Arrival] = []
    private var reports: [(moment: Double, viewport: Viewport)] = []
    private var acknowledgements: [(moment: Double, bytes: Int)] = []
    private var received = 0
    private var acknowledged = 0

    init(_ link: Link, total: Int = 100_000) {
        self.link = link
        fixture = PlanFixture(total: total)
        lineFree = fixture.now
    }

    var now: Double { fixture.now }

    mutating func report(_ viewport: Viewport) {
        var viewport = viewport
        viewport.received = received
        self.viewport = viewport
        reports.append((now + link.roundTrip / 2, viewport))
    }

    /// Advances the time, two milliseconds at a step.
    mutating func pass(_ seconds: Double, each: (inout StreamSimulation) -> Void = { _ in }) {
        let end = now + seconds
        while now < end {
            each(&self)
            step()
        }
    }

    /// Advances the time until `isDone`, or by a minute.
    mutating func pass(until isDone: (StreamSimulation) -> Bool) {
        let limit = now + 60
        while now < limit, !isDone(self) { step() }
    }

    private mutating func step() {
        while let first = reports.first, first.moment <= now {
            reports.removeFirst()
            fixture.plan.acknowledge(first.viewport.received ?? 0, at: now)
            fixture.show(first.viewport)
        }
        while let first = acknowledgements.first, first.moment <= now {
            acknowledgements.removeFirst()
            fixture.plan.acknowledge(first.bytes, at: now)
        }
        while max(0, lineFree - now) * link.rate < Double(link.socketBytes), let sent = fixture.next() {
            lineFree = max(lineFree, now) + Double(sent.bytes) / link.rate
            arrivals.append(Arrival(moment: lineFree + link.roundTrip / 2, sent: sent))
        }
        while let first = arrivals.first, first.moment <= now {
            arrivals.removeFirst()
            received += first.sent.bytes
            log.append((now, first.sent))
            switch first.sent.rendition {
            case .preview: previews[first.sent.slot] = now
            default: tiles[first.sent.slot] = now
            }
        }
        if received > acknowledged, Int(now * 1_000) % 4 < 2 {
            acknowledged = received
            acknowledgements.append((now + link.roundTrip / 2, received))
        }
        fixture.now += 0.002
    }

    // MARK: - User actions

    /// Stays at a position until everything has arrived, including what is ahead.
    mutating func settle(at first: Int, count: Int = 40) {
        report(Viewport(first: first, count: count))
        pass(until: { $0.hasTiles })
        pass(0.6)
    }

    /// Scrolls along `place` for this long, then stops. Counts what is displayed on the way.
    mutating func scroll(
        for seconds: Double, count: Int = 40, landing: Int? = nil, along place: (_ elapsed: Double) -> Double
    ) {
        let began = now
        let start = place(0)
        var reported = -1.0
        var before = start
        pass(seconds) { simulation in
            let elapsed = simulation.now - began
            let first = place(elapsed)
            if elapsed - reported >= 0.016 {
                var viewport = Viewport(first: Int(first) / 8 * 8, count: count)
                viewport.velocity = reported < 0 ? 0 : abs(first - before) / (elapsed - reported)
                viewport.direction = viewport.velocity == 0 ? 0 : first > before ? 1 : -1
                viewport.landing = landing
                simulation.report(viewport)
                simulation.slotsSeen += count
                simulation.slotsShown += viewport.slots.count {
                    simulation.previews[$0] != nil || simulation.tiles[$0] != nil
                }
                before = first
                reported = elapsed
            }
        }
        report(Viewport(first: Int(place(seconds)) / 8 * 8, count: count))
    }

    var hasPreviews: Bool { viewport.slots.allSatisfy { previews[$0] != nil || tiles[$0] != nil } }
    var hasTiles: Bool { viewport.slots.allSatisfy { tiles[$0] != nil } }

    /// The minimum time in seconds that the link needs for a viewport's tiles.
    func limit(count: Int = 40) -> Double {
        link.roundTrip + Double(count * (PlanFixture.tileBytes + RenditionHead.length)) / link.rate
    }

    /// Bytes received since `moment` for slots that are not on screen.
    func bytesOffScreen(since moment: Double) -> Int {
        log.reduce(0) { $1.moment > moment && !viewport.slots.contains($1.sent.slot) ? $0 + $1.sent.bytes : $0 }
    }
}
