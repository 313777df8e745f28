import CHiredis

/// What a server answers (RESP2).
public enum RedisReply: Hashable, Sendable {
    case nothing
    case integer(Int64)
    case bytes([UInt8])
    case list([RedisReply])
    case error(String)

    /// Lists within lists are read so far; the server's own answers are never deeper.
    private static let deepest = 8

    /// Copies what hiredis owns.
    init(_ reply: UnsafePointer<redisReply>, depth: Int = 0) {
        switch reply.pointee.type {
        case REDIS_REPLY_INTEGER: self = .integer(Int64(reply.pointee.integer))
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(Self.bytes(reply))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: Self.bytes(reply).prefix(200), as: UTF8.self))
        case REDIS_REPLY_ARRAY where depth < Self.deepest:
            let elements = UnsafeBufferPointer(start: reply.pointee.element, count: reply.pointee.elements)
            self = .list(elements.map { $0.map { RedisReply($0, depth: depth + 1) } ?? .nothing })
        default: self = .nothing
        }
    }

    private static func bytes(_ reply: UnsafePointer<redisReply>) -> [UInt8] {
        guard let text = reply.pointee.str else { return [] }
        return Array(UnsafeRawBufferPointer(start: text, count: reply.pointee.len))
    }

    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Its bytes as text; nil where they are none.
    public var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }

    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    public var list: [RedisReply]? {
        if case .list(let list) = self { list } else { nil }
    }
}
