import Postgres
import Testing

@testable import MetadataLog

@Suite struct ReceivedTests {
    private func rows(_ numbers: [(head: Int64, change: Int64?)]) -> [PostgresRow] {
        numbers.map { head, change in
            func bytes(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
            return bytes(head).withUnsafeBytes { head in
                (change.map(bytes) ?? []).withUnsafeBytes { PostgresRow([head, change == nil ? nil : $0]) }
            }
        }
    }

    @Test func `reading continues after the last change of a full batch, or else after the head`() throws {
        let full = try LogSession.Received(rows([(9, 4), (9, 7)]), after: 3, batch: 2)
        #expect(full.position == 7 && full.head == 9 && full.hasMore)
        let rest = try LogSession.Received(rows([(9, 4), (9, 7)]), after: 3, batch: 3)
        #expect(rest.position == 9 && !rest.hasMore)
        let none = try LogSession.Received(rows([(9, nil)]), after: 9, batch: 3)
        #expect(none.position == 9 && !none.hasMore)
        // The database has lost data.
        #expect(try LogSession.Received(rows([(2, nil)]), after: 9, batch: 3).head == 2)
    }

    @Test(
        arguments: [
            [(9, 3)], [(9, 10)], [(9, .min)], [(9, .max)], [(9, 5), (9, 5)], [(9, 6), (9, 5)], [(-1, nil)], [],
        ] as [[(Int64, Int64?)]])
    func `impossible numbers are refused`(numbers: [(head: Int64, change: Int64?)]) {
        #expect(throws: MetadataLogError.self) { try LogSession.Received(rows(numbers), after: 3, batch: 2) }
    }
}
