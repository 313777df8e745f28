import FoundationEssentials
import HTTPServer
import HTTPTypes

enum JSON {
    /// An answer that nobody may keep.
    static func response(_ value: some Encodable) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { return Problem(.internalServerError).response }
        return Response(
            headers: [.contentType: "application/json", .cacheControl: "no-store"], body: .bytes([UInt8](data)))
    }

    /// Nil unless `bytes` are a value of the type.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
