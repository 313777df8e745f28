import Testing

@testable import GalleryServer

@Suite struct InFlightMessagesTests {
    @Test func `acknowledged messages are no longer in flight`() {
        var inFlight = InFlightMessages()
        inFlight.add(slot: 3, bytes: 100, isTile: false, end: 100)
        inFlight.add(slot: 9, bytes: 900, isTile: true, end: 1_000)
        #expect(inFlight.bytes(outside: 0..<5) == 900)
        #expect(inFlight.hasTile(inside: 5..<10))
        inFlight.land(999)
        #expect(inFlight.count == 1)
        inFlight.land(1_000)
        #expect(inFlight.count == 0 && inFlight.tileBytes == 0)
    }

    @Test func `the arrival of a visible slot's tile is reported`() {
        var inFlight = InFlightMessages()
        inFlight.add(slot: 3, bytes: 100, isTile: false, end: 100)
        inFlight.add(slot: 4, bytes: 900, isTile: true, end: 1_000)
        inFlight.add(slot: 9, bytes: 900, isTile: true, end: 1_900)
        let preview = inFlight.land(100, inside: 0..<5)
        let tile = inFlight.land(1_000, inside: 0..<5)
        let elsewhere = inFlight.land(1_900, inside: 0..<5)
        #expect([preview, tile, elsewhere] == [false, true, false])
    }

    @Test func `a client that stops acknowledging uses a limited amount of memory`() {
        var inFlight = InFlightMessages()
        for message in 1...100_000 { inFlight.add(slot: message, bytes: 10, isTile: false, end: 10 * message) }
        #expect(inFlight.count <= InFlightMessages.maximumMessages)
        #expect(inFlight.bytes(outside: 100_000..<100_001) <= 10 * InFlightMessages.maximumMessages)
        inFlight.land(1_000_000)
        #expect(inFlight.count == 0)
    }
}
