import FoundationEssentials
import Tracing

/// Spans as a collector takes them: `ExportTraceServiceRequest` of OTLP 1, in its JSON form (OTLP specification, "JSON
/// Protobuf Encoding": identifiers in hexadecimal digits, 64-bit numbers as text, enumerations as numbers).
struct SpansBody: Encodable {
    private let resourceSpans: [ResourceSpans]

    /// - Parameters:
    ///   - resource: What tells of all of them.
    ///   - version: Of the program.
    init(_ spans: [SpanRecord], of resource: [String: String], version: String) {
        let scope = ScopeSpans(scope: Scope(name: "tessera", version: version), spans: spans.map(Body.init))
        let attributes = resource.sorted { $0.key < $1.key }.map { KeyValue(key: $0.key, value: .text($0.value)) }
        resourceSpans = [ResourceSpans(resource: Resource(attributes: attributes), scopeSpans: [scope])]
    }

    func bytes() -> [UInt8] {
        // Nothing in it can fail to be encoded: no number is a fraction without end.
        (try? JSONEncoder().encode(self)).map(Array.init) ?? []
    }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable {
        let attributes: [KeyValue]
    }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [Body]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct Body: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?
        let parentSpanId: String?
        let flags: UInt32
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [KeyValue]
        let events: [Event]
        let links: [Link]
        let status: Status?

        init(_ span: SpanRecord) {
            traceId = span.context.traceText
            spanId = span.context.spanText
            traceState = span.context.state.isEmpty ? nil : span.context.state
            parentSpanId = span.parent?.lowercaseHex
            flags = span.context.isSampled ? 1 : 0
            name = span.name
            kind = span.kind.number
            startTimeUnixNano = "\(span.begin)"
            endTimeUnixNano = "\(span.end)"
            attributes = span.attributes.told
            events = span.events.map {
                Event(timeUnixNano: "\($0.nanosecondsSinceEpoch)", name: $0.name, attributes: $0.attributes.told)
            }
            links = span.links.map {
                Link(traceId: $0.context.traceText, spanId: $0.context.spanText, attributes: $0.attributes.told)
            }
            status = span.status.map { Status(code: $0.code == .error ? 2 : 1, message: $0.message) }
        }
    }

    private struct Event: Encodable {
        let timeUnixNano: String
        let name: String
        let attributes: [KeyValue]
    }

    private struct Link: Encodable {
        let traceId: String
        let spanId: String
        let attributes: [KeyValue]
    }

    private struct Status: Encodable {
        let code: Int
        let message: String?
    }
}

private struct KeyValue: Encodable {
    let key: String
    let value: Value

    enum Value: Encodable {
        case text(String)
        case number(Int64)
        case fraction(Double)
        case truth(Bool)

        private enum Keys: String, CodingKey {
            case stringValue, intValue, doubleValue, boolValue
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .stringValue)
            case .number(let number): try container.encode("\(number)", forKey: .intValue)
            case .fraction(let fraction): try container.encode(fraction, forKey: .doubleValue)
            case .truth(let truth): try container.encode(truth, forKey: .boolValue)
            }
        }
    }
}

extension SpanAttributes {
    /// Characters of a text; what is longer is cut.
    private static var longest: Int { 1_024 }

    fileprivate var told: [KeyValue] {
        var all: [KeyValue] = []
        forEach { all.append(KeyValue(key: $0, value: Self.value(of: $1))) }
        return all.sorted { $0.key < $1.key }
    }

    private static func value(of attribute: SpanAttribute) -> KeyValue.Value {
        switch attribute {
        case .int32(let number): .number(Int64(number))
        case .int64(let number): .number(number)
        case .double(let fraction) where fraction.isFinite: .fraction(fraction)
        case .double(let fraction): .text("\(fraction)")
        case .bool(let truth): .truth(truth)
        case .string(let text): .text(String(text.prefix(longest)))
        case .stringConvertible(let value): .text(String("\(value)".prefix(longest)))
        // The library says that there may be more kinds, and that none of them may be waited for by name.
        default: .text(String("\(attribute)".prefix(longest)))
        }
    }
}

extension SpanKind {
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
