import Images

@testable import GalleryServer

/// A plan at work over a link of a certain rate and round trip, with a client that scrolls, in a time of its own.
///
/// The link serialises what it is given one byte after the other; the socket takes more while fewer bytes than
/// `socketBytes` wait before the link. The client reports its viewport every 16 ms while it scrolls, and what it has
/// received as it comes. Everything that is looked for is in memory.
struct StreamSimulation {
    struct Link {
        /// Bytes a second.
        var rate: Double
        /// Seconds.
        var roundTrip: Double
        /// Bytes that the socket and the link's queue take in before they are full.
        var socketBytes = 96 << 10
    }

    private struct Arrival {
        var moment: Double
        var sent: PlanHouse.Sent
    }

    let link: Link
    var house: PlanHouse
    /// When slots got what, in the client's time.
    private(set) var previews: [Int: Double] = [:]
    private(set) var tiles: [Int: Double] = [:]
    private(set) var log: [(moment: Double, sent: PlanHouse.Sent)] = []
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
        house = PlanHouse(total: total)
        lineFree = house.now
    }

    var now: Double { house.now }

    mutating func report(_ viewport: Viewport) {
        var viewport = viewport
        viewport.received = received
        self.viewport = viewport
        reports.append((now + link.roundTrip / 2, viewport))
    }

    /// Lets time pass, two milliseconds at a time.
    mutating func pass(_ seconds: Double, each: (inout StreamSimulation) -> Void = { _ in }) {
        let end = now + seconds
        while now < end {
            each(&self)
            step()
        }
    }

    /// Lets time pass until `isDone`, or for a minute.
    mutating func pass(until isDone: (StreamSimulation) -> Bool) {
        let limit = now + 60
        while now < limit, !isDone(self) { step() }
    }

    private mutating func step() {
        while let first = reports.first, first.moment <= now {
            reports.removeFirst()
            house.plan.acknowledge(first.viewport.received ?? 0, at: now)
            house.show(first.viewport)
        }
        while let first = acknowledgements.first, first.moment <= now {
            acknowledgements.removeFirst()
            house.plan.acknowledge(first.bytes, at: now)
        }
        while max(0, lineFree - now) * link.rate < Double(link.socketBytes), let sent = house.next() {
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
        house.now += 0.002
    }

    // MARK: - What a person does

    /// Rests at a place until all is there, and what is ahead.
    mutating func settle(at first: Int, count: Int = 40) {
        report(Viewport(first: first, count: count))
        pass(until: { $0.hasTiles })
        pass(0.6)
    }

    /// Scrolls along `place` for so long, then stops. Counts what is shown on the way.
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

    /// Seconds that the link needs at the least for a viewport's tiles.
    func limit(count: Int = 40) -> Double {
        link.roundTrip + Double(count * (PlanHouse.tileBytes + RenditionHead.length)) / link.rate
    }

    /// Bytes that came since `moment` for slots that are not on screen.
    func bytesOffScreen(since moment: Double) -> Int {
        log.reduce(0) { $1.moment > moment && !viewport.slots.contains($1.sent.slot) ? $0 + $1.sent.bytes : $0 }
    }
}
