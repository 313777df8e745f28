import Addresses
import Clients
import Testing

@testable import HTTPServer

@Suite struct RoundRobinTests {
    @Test func `clients take turns, however many connections each has`() {
        let many = ClientAddress(IPAddress("192.0.2.1")!)
        let few = ClientAddress(IPAddress("192.0.2.2")!)
        var roundRobin = RoundRobin<Int>()
        for connection in 0..<5 { roundRobin.add(connection, of: many) }
        roundRobin.add(10, of: few)
        roundRobin.add(20, of: nil)
        var turns: [Int] = []
        while let connection = roundRobin.next() {
            turns.append(connection)
            // The client with few connections has more to do.
            if connection == 10, turns.count < 4 { roundRobin.add(11, of: few) }
        }
        #expect(turns == [0, 10, 20, 1, 11, 2, 3, 4])
        #expect(roundRobin.isEmpty)
    }
}
