/// A server's reply (RESP2).
public enum RedisReply: Hashable, Sendable {
    case nothing
    case integer(Int64)
    case bytes([UInt8])
    case list([RedisReply])
    /// The beginning of the error message.
    case error(String)

    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Its bytes as text; nil if they are not UTF-8, or if this is no string.
    public var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }

    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    public var list: [RedisReply]? {
        if case .list(let list) = self { list } else { nil }
    }
}
