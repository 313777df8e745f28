import Addresses
import Clients
import Testing

@testable import GalleryServer

/// A reference to a schedule, so that mutating calls can be used in expectations.
private final class Box {
    private var shares: FairWorkSchedule

    init(permits: Int, waitingPerClient: Int) {
        shares = FairWorkSchedule(permits: permits, waitingPerClient: waitingPerClient)
    }

    var isEmpty: Bool { shares.isEmpty }
    var clientCount: Int { shares.clientCount }
    func enqueue(_ id: UInt64, of client: Client, now: Double) -> Bool { shares.enqueue(id, of: client, now: now) }
    func remove(_ id: UInt64, of client: Client) -> Bool { shares.remove(id, of: client) }
    func next(now: Double) -> UInt64? { shares.next(now: now) }
    func finished(of client: Client, after seconds: Double, now: Double) {
        shares.finished(of: client, after: seconds, now: now)
    }
    func nextWake(now: Double) -> Double? { shares.nextWake(now: now) }
}

@Suite struct FairWorkScheduleTests {
    private let busy = Client(IPAddress("192.0.2.1")!)
    private let calm = Client(IPAddress("192.0.2.2")!)

    @Test func `a client has one piece of work running at a time, and clients take turns`() {
        let shares = Box(permits: 4, waitingPerClient: 9)
        for id in 1...3 as ClosedRange<UInt64> { #expect(shares.enqueue(id, of: busy, now: 0)) }
        #expect(shares.enqueue(9, of: calm, now: 0))
        #expect(shares.next(now: 0) == 1)
        #expect(shares.next(now: 0) == 9)
        #expect(shares.next(now: 0) == nil, "each client has one piece running")
        shares.finished(of: busy, after: 0.01, now: 0.01)
        #expect(shares.next(now: 0.01) == 2)
    }

    @Test func `permits are limited, and the next one goes to the client that has waited longest`() {
        let shares = Box(permits: 1, waitingPerClient: 9)
        #expect(shares.enqueue(1, of: busy, now: 0) && shares.enqueue(2, of: busy, now: 0))
        #expect(shares.enqueue(9, of: calm, now: 0))
        #expect(shares.next(now: 0) == 1 && shares.next(now: 0) == nil)
        shares.finished(of: busy, after: 0.01, now: 0.01)
        #expect(shares.next(now: 0.01) == 9)
    }

    @Test func `each client's queue is limited, and removed work makes room in it`() {
        let shares = Box(permits: 1, waitingPerClient: 2)
        #expect(shares.enqueue(1, of: busy, now: 0) && shares.enqueue(2, of: busy, now: 0))
        #expect(!shares.enqueue(3, of: busy, now: 0))
        #expect(shares.enqueue(9, of: calm, now: 0))
        #expect(shares.remove(2, of: busy) && !shares.remove(2, of: busy))
        #expect(shares.enqueue(3, of: busy, now: 0))
    }

    /// Works for `seconds` without a pause, in pieces of 10 ms. If there is another client, it works briefly every
    /// half second.
    private func worked(_ seconds: Double, besideAnother: Bool) -> Double {
        let shares = Box(permits: 2, waitingPerClient: 4)
        var id: UInt64 = 0
        var sum = 0.0
        for step in 0..<Int(seconds * 100) {
            let now = Double(step) / 100
            id += 1
            _ = shares.enqueue(2 * id, of: busy, now: now)
            if besideAnother, step % 50 == 0 { _ = shares.enqueue(2 * id + 1, of: calm, now: now) }
            while let begun = shares.next(now: now) {
                let isBusy = begun % 2 == 0
                shares.finished(of: isBusy ? busy : calm, after: isBusy ? 0.01 : 0.001, now: now + 0.01)
                if isBusy { sum += 0.01 }
                guard isBusy else { continue }
                break
            }
        }
        return sum
    }

    @Test func `a client with constant work is throttled while others are active, and only then`() {
        #expect(worked(20, besideAnother: false) > 19)
        let beside = worked(20, besideAnother: true)
        let most = FairWorkSchedule.burst + 20 * FairWorkSchedule.rate
        #expect(beside < most + 0.1 && beside > most / 2, "\(beside) s of \(most)")
    }

    @Test func `the schedule tells when a throttled client may continue`() throws {
        let shares = Box(permits: 1, waitingPerClient: 4)
        #expect(shares.enqueue(1, of: busy, now: 0))
        #expect(shares.next(now: 0) == 1)
        shares.finished(of: busy, after: 10, now: 10)
        #expect(shares.enqueue(9, of: calm, now: 10) && shares.enqueue(2, of: busy, now: 10))
        #expect(shares.next(now: 10) == 9)
        shares.finished(of: calm, after: 0.001, now: 10)
        #expect(shares.next(now: 10) == nil)
        let rest = try #require(shares.nextWake(now: 10))
        #expect(
            rest > 0 && rest <= ClientActivity.attention, "no other client was active since, so it waits no longer")
        #expect(shares.next(now: 10 + rest / 2) == nil)
        #expect(shares.next(now: 10 + rest + 0.001) == 2)
        #expect(shares.nextWake(now: 12) == nil)
    }

    @Test func `idle clients are forgotten`() {
        let shares = Box(permits: 4, waitingPerClient: 4)
        for number in 0..<5_000 as Range<UInt64> {
            let now = Double(number) / 10
            let client = Client(IPAddress.v4(UInt32(number)))
            #expect(shares.enqueue(number, of: client, now: now))
            #expect(shares.next(now: now) == number)
            shares.finished(of: client, after: 0.001, now: now)
        }
        #expect(shares.isEmpty && shares.clientCount < 1_100, "\(shares.clientCount)")
    }
}
