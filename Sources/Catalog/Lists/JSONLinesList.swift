import FoundationEssentials

/// A list with one JSON value (RFC 8259) a line: the URL as a string, or an object with `url` and, where known, `name`,
/// `width`, `height` and `takenAt`. Other members are ignored; blank lines are skipped.
struct JSONLinesList: ListReading {
    private let decoder = JSONDecoder()

    private enum Value: Decodable {
        case url(String)
        case object(Object)

        struct Object: Decodable {
            let url: String
            let name: String?
            let width: Double?
            let height: Double?
            let takenAt: String?
        }

        init(from decoder: any Decoder) throws {
            if let url = try? decoder.singleValueContainer().decode(String.self) {
                self = .url(url)
            } else {
                self = .object(try Object(from: decoder))
            }
        }
    }

    func read(_ line: LineSplitter.Line, emit: (ListEntry) throws -> Void) throws {
        guard let bytes = line.bytes else { return try emit(.bad(line: line.number, reason: "the line is too long")) }
        let text = bytes.trimmingSpaces()
        guard !text.isEmpty else { return try emit(.nothing) }
        try emit(entry(text, line: line.number))
    }

    func finish(emit: (ListEntry) throws -> Void) throws {}

    private func entry(_ text: [UInt8], line: Int) -> ListEntry {
        do {
            switch try decoder.decode(Value.self, from: Data(text)) {
            case .url(let url):
                return .image(try Sighting(url: url.utf8))
            case .object(let object):
                let stated = Sighting.Stated(
                    name: object.name, width: object.width.flatMap(Int.init(exactly:)),
                    height: object.height.flatMap(Int.init(exactly:)), takenAt: object.takenAt)
                return .image(try Sighting(url: object.url.utf8, stated: stated))
            }
        } catch let fault as WebAddress.Fault {
            return .bad(line: line, reason: fault.reason)
        } catch DecodingError.keyNotFound {
            return .bad(line: line, reason: "the object has no \"url\"")
        } catch DecodingError.typeMismatch(_, let context) {
            let member = context.codingPath.last.map { "\"\($0.stringValue)\"" } ?? "the value"
            return .bad(line: line, reason: "\(member) is of another type than expected")
        } catch {
            return .bad(line: line, reason: "not JSON")
        }
    }
}
