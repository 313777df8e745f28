import Testing

@testable import GalleryServer

@Suite struct FlightsTests {
    @Test func `what has come is no longer on its way`() {
        var flights = Flights()
        flights.add(slot: 3, bytes: 100, isTile: false, end: 100)
        flights.add(slot: 9, bytes: 900, isTile: true, end: 1_000)
        #expect(flights.bytes(outside: 0..<5) == 900)
        #expect(flights.hasTile(inside: 5..<10))
        flights.land(999)
        #expect(flights.count == 1)
        flights.land(1_000)
        #expect(flights.count == 0 && flights.tileBytes == 0)
    }

    @Test func `it is told when a tile of a slot on screen has come`() {
        var flights = Flights()
        flights.add(slot: 3, bytes: 100, isTile: false, end: 100)
        flights.add(slot: 4, bytes: 900, isTile: true, end: 1_000)
        flights.add(slot: 9, bytes: 900, isTile: true, end: 1_900)
        let preview = flights.land(100, inside: 0..<5)
        let tile = flights.land(1_000, inside: 0..<5)
        let elsewhere = flights.land(1_900, inside: 0..<5)
        #expect([preview, tile, elsewhere] == [false, true, false])
    }

    @Test func `a client that never says again what came costs no more and no more memory`() {
        var flights = Flights()
        for message in 1...100_000 { flights.add(slot: message, bytes: 10, isTile: false, end: 10 * message) }
        #expect(flights.count <= Flights.most)
        #expect(flights.bytes(outside: 100_000..<100_001) <= 10 * Flights.most)
        flights.land(1_000_000)
        #expect(flights.count == 0)
    }
}
