import TestSupport
import Testing

@testable import GalleryServer

@Suite struct LinkEstimateTests {
    /// A sender with a limited number of bytes in flight, over a simulated link with a clock of its own.
    private struct Sender {
        let rate: Double
        let roundTrip: Double
        var estimate = LinkEstimate()
        var now = 50.0
        private var lineFree = 50.0
        private var arrivals: [(moment: Double, total: Int)] = []
        private var acknowledgements: [(moment: Double, total: Int)] = []

        init(rate: Double, roundTrip: Double) {
            self.rate = rate
            self.roundTrip = roundTrip
            estimate.acknowledge(0, at: now)
        }

        mutating func pass(_ seconds: Double, message: Int = 15_000, flight: Int) {
            let end = now + seconds
            while now < end {
                while let first = acknowledgements.first, first.moment <= now {
                    acknowledgements.removeFirst()
                    estimate.acknowledge(first.total, at: now)
                }
                while estimate.inFlight < flight { send(message) }
                while let first = arrivals.first, first.moment <= now {
                    arrivals.removeFirst()
                    acknowledgements.append((now + roundTrip / 2, first.total))
                }
                now += 0.002
            }
        }

        /// Sends a message now and then, and nothing in between.
        mutating func trickle(_ seconds: Double, message: Int) {
            let end = now + seconds
            while now < end {
                estimate.applicationLimited()
                send(message)
                pass(0.3, flight: 0)
            }
        }

        private mutating func send(_ message: Int) {
            estimate.sent(message, at: now)
            lineFree = max(lineFree, now) + Double(message) / rate
            arrivals.append((lineFree + roundTrip / 2, estimate.sentBytes))
        }
    }

    @Test(arguments: [(2_500_000.0, 0.06), (2_500_000, 0.2), (200_000, 0.4), (100_000_000, 0.002)])
    func `round trip and rate are estimated`(rate: Double, roundTrip: Double) throws {
        var sender = Sender(rate: rate, roundTrip: roundTrip)
        sender.pass(0.2 + 3 * roundTrip, message: 700, flight: 1)
        sender.pass(2 + 8 * roundTrip, flight: 512 << 10)
        #expect(sender.estimate.isRateKnown)
        #expect(abs(try #require(sender.estimate.rate) / rate - 1) < 0.15)
        #expect(try #require(sender.estimate.roundTrip) < roundTrip * 1.1 + 0.003)
        #expect(try #require(sender.estimate.roundTrip) >= roundTrip)
    }

    @Test func `queueing delay is not mistaken for round-trip time`() throws {
        var sender = Sender(rate: 200_000, roundTrip: 0.1)
        sender.pass(1, message: 700, flight: 1)
        sender.pass(4, flight: 300_000)
        #expect(try #require(sender.estimate.roundTrip) < 0.12)
        #expect(sender.estimate.queueing > 1)
    }

    @Test func `having little to send does not lower the rate estimate`() throws {
        var sender = Sender(rate: 2_500_000, roundTrip: 0.06)
        sender.pass(2, flight: 300_000)
        sender.pass(0.3, flight: 0)
        let before = try #require(sender.estimate.rate)
        sender.trickle(20, message: 700)
        #expect(sender.estimate.rate == before)
        #expect(sender.estimate.isRateKnown)
    }

    @Test func `an application-limited sample counts only if it raises the estimate`() throws {
        var sender = Sender(rate: 2_500_000, roundTrip: 0.06)
        sender.estimate.applicationLimited()
        sender.trickle(3, message: 700)
        let little = try #require(sender.estimate.rate)
        #expect(!sender.estimate.isRateKnown)
        sender.trickle(3, message: 15_000)
        #expect(try #require(sender.estimate.rate) > little)
        #expect(!sender.estimate.isRateKnown)
    }

    @Test func `the estimate follows a link that has become slower`() throws {
        var sender = Sender(rate: 2_500_000, roundTrip: 0.06)
        sender.pass(3, flight: 300_000)
        var slower = Sender(rate: 500_000, roundTrip: 0.06)
        slower.estimate = sender.estimate
        slower.now = sender.now
        let start = slower.estimate.sentBytes
        slower.estimate.acknowledge(start, at: slower.now)
        slower.pass(12, flight: 100_000)
        #expect(try #require(slower.estimate.rate) < 600_000)
    }

    @Test func `an acknowledgement of too many bytes, or of fewer than before, does no harm`() {
        var estimate = LinkEstimate()
        estimate.acknowledge(.max, at: 1)
        #expect(estimate.inFlight == 0)
        estimate.sent(1_000, at: 2)
        estimate.acknowledge(1 << 50, at: 2)
        #expect(estimate.inFlight == 0 && estimate.received == 1_000)
        estimate.acknowledge(-5, at: 3)
        estimate.acknowledge(10, at: 3)
        #expect(estimate.received == 1_000 && estimate.inFlight == 0)
        estimate.sent(500, at: 4)
        #expect(estimate.inFlight == 500)
    }

    @Test func `without acknowledgements nothing counts as in flight`() {
        var estimate = LinkEstimate()
        for moment in 0..<10_000 { estimate.sent(20_000, at: Double(moment)) }
        #expect(estimate.inFlight == 0 && estimate.rate == nil && !estimate.isSilent(at: 20_000))
    }

    @Test func `a client that stops acknowledging is recognised as silent`() {
        var estimate = LinkEstimate()
        estimate.acknowledge(0, at: 0)
        estimate.sent(1_000, at: 10)
        #expect(!estimate.isSilent(at: 12))
        #expect(estimate.isSilent(at: 14))
        estimate.acknowledge(1_000, at: 15)
        #expect(!estimate.isSilent(at: 100))
    }

    @Test func `the figures stay finite under any sequence of acknowledgements`() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<60 {
            var estimate = LinkEstimate()
            var now = 0.0
            for _ in 0..<300 {
                now += Bool.random(using: &random) ? 0 : Double.random(in: 0...0.5, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0, 1: estimate.sent(Int.random(in: 28...40_000, using: &random), at: now)
                case 2: estimate.acknowledge(Int.random(in: 0...(estimate.sentBytes + 10), using: &random), at: now)
                case 3: estimate.acknowledge(Int.random(in: .min ... .max, using: &random), at: now)
                default: estimate.applicationLimited()
                }
                #expect(estimate.inFlight >= 0 && estimate.inFlight <= estimate.sentBytes)
                #expect(estimate.queueing >= 0 && estimate.queueing.isFinite)
                #expect(estimate.rate.map { $0 > 0 && $0.isFinite } ?? true)
                #expect(estimate.roundTrip.map { $0 > 0 && $0.isFinite } ?? true)
            }
        }
    }
}
