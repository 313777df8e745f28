import HTTPTypes
import Time

@testable import HTTPServer
@testable import Renditions

/// Values parsed from a request's target and fields; the first byte selects the parser.
enum FieldsTarget: FuzzTarget {
    private static let length: Int64 = 1_000

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bytes = input.dropFirst()
        let text = String(decoding: bytes, as: UTF8.self)
        switch first % 6 {
        case 0:
            if case .part(let range) = ByteRange(text, length: length) {
                precondition(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= length)
            }
        case 1:
            for tag in EntityTag.list(text) ?? [] {
                precondition(EntityTag(parsing: tag.description) == tag, "a tag is written as another")
            }
        case 2:
            if let date = HTTPDate(text) {
                precondition(HTTPDate(date.description) == date, "a date is written as another")
            }
        case 3:
            for (name, value) in Query(bytes) { _ = (name.count, value.count) }
        case 4:
            let types = AcceptedTypes(text)
            precondition((0...1_000).contains(types.weight(ofSubtype: "webp")))
        default:
            _ = ConditionalRequest(method: .get) { _ in text }.evaluate(entityTag: EntityTag("a"), lastModified: nil)
        }
    }
}
