import Dispatch
import GRDB
import Locking
import Testing

@testable import Catalog

/// Requests that are still being answered when the server stops read the index while it is closed.
@Suite(.timeLimit(.minutes(2))) struct IndexClosingTests {
    @Test func `reads that run while the index is closed end, and later ones fail`() throws {
        let scratch = try Scratch()
        for round in 0..<150 {
            let index = try Index(path: scratch.path("\(round).sqlite"), maximumPages: nil)
            let readers = DispatchGroup()
            let codes = Guarded<Set<CInt>>([])
            // More than there are connections, so that some reads wait for one.
            for _ in 0..<6 {
                DispatchQueue.global().async(group: readers) {
                    while true {
                        do { _ = try index.counters() } catch {
                            codes.withLock { _ = $0.insert((error as? DatabaseError)?.resultCode.rawValue ?? 0) }
                            return
                        }
                    }
                }
            }
            try index.close()
            readers.wait()
            #expect(codes.withLock(\.self) == [ResultCode.SQLITE_MISUSE.rawValue])
        }
    }
}
