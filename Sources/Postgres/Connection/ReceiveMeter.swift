import CPostgres
import Glibc

/// Compares how many bytes a server has sent with how many its results account for. The rest is in libpq's memory, or
/// was useless: a message that is not complete, announced to be as long as the protocol permits; parameters, of which
/// libpq keeps every one; notices without end.
struct ReceiveMeter {
    /// The maximum of the rest, in bytes.
    var limit: Int
    private(set) var unexplained = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: False if the server has sent too much.
    mutating func received(_ count: Int) -> Bool {
        unexplained += count
        return unexplained <= limit
    }

    mutating func explained(_ count: Int) {
        unexplained = max(0, unexplained - count)
    }
}

/// The size of what was sent for a result, in bytes (PostgreSQL 55.7, "Message Formats").
enum MessageSize {
    /// The kind and the length of a message.
    private static let head = 5
    /// The messages around each result: ParseComplete, BindComplete or NoData, and ReadyForQuery.
    static let ofQuery = 3 * head + head + 1

    /// DataRow: for each column a length, and the value.
    static func ofRow(_ result: OpaquePointer) -> Int {
        (0..<PQnfields(result)).reduce(head + 2) { $0 + 4 + Int(PQgetlength(result, 0, $1)) }
    }

    /// RowDescription and CommandComplete: for each column its name and 18 bytes more, and a tag.
    static func ofEnd(_ result: OpaquePointer) -> Int {
        let columns = (0..<PQnfields(result)).reduce(0) { $0 + 19 + length(PQfname(result, $1)) }
        return 2 * head + 2 + columns + length(PQcmdStatus(result)) + 1
    }

    /// ErrorResponse: for each field its code, and a text.
    static func ofError(_ result: OpaquePointer) -> Int {
        "SVCMDHPpqWstcdnFLR".utf8.reduce(head + 1) { size, code in
            PQresultErrorField(result, Int32(code)).map { size + 2 + length($0) } ?? size
        }
    }

    /// NotificationResponse.
    static func ofNotification(_ notice: UnsafePointer<PGnotify>) -> Int {
        head + 4 + length(notice.pointee.relname) + 1 + length(notice.pointee.extra) + 1
    }

    private static func length(_ text: UnsafePointer<CChar>?) -> Int { text.map { strlen($0) } ?? 0 }
}
