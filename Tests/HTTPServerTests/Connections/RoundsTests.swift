import Addresses
import Clients
import Testing

@testable import HTTPServer

@Suite struct RoundsTests {
    @Test func `turns go round the clients, however many connections each of them has`() {
        let many = Client(IPAddress("192.0.2.1")!)
        let few = Client(IPAddress("192.0.2.2")!)
        var rounds = Rounds<Int>()
        for connection in 0..<5 { rounds.add(connection, of: many) }
        rounds.add(10, of: few)
        rounds.add(20, of: nil)
        var turns: [Int] = []
        while let connection = rounds.next() {
            turns.append(connection)
            // The one of the few has something to do once more.
            if connection == 10, turns.count < 4 { rounds.add(11, of: few) }
        }
        #expect(turns == [0, 10, 20, 1, 11, 2, 3, 4])
        #expect(rounds.isEmpty)
    }
}
