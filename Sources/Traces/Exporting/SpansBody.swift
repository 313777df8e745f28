import Encodings
import Tracing

/// Spans in the form that a collector accepts: `ExportTraceServiceRequest` of OTLP 1, in its JSON form (OTLP
/// specification, "JSON Protobuf Encoding": hexadecimal identifiers, 64-bit numbers as strings, enumerations as
/// numbers).
struct SpansBody: JSONWritable {
    let spans: [SpanRecord]
    /// Attributes of all the spans.
    let resource: [String: String]
    /// The program's version.
    let version: String

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.list("resourceSpans", [self]) { json, _ in
                json.member("resource") { json in
                    json.object { json in
                        json.list("attributes", resource.sorted { $0.key < $1.key }) { json, attribute in
                            Self.writeMembers(of: attribute.key, .string(attribute.value), to: &json)
                        }
                    }
                }
                json.list("scopeSpans", [self]) { json, _ in
                    json.member("scope") { json in
                        json.object { json in
                            json.member("name", "tessera")
                            json.member("version", version)
                        }
                    }
                    json.list("spans", spans) { Self.writeMembers(of: $1, to: &$0) }
                }
            }
        }
    }

    private static func writeMembers(of span: SpanRecord, to json: inout JSONWriter) {
        json.member("traceId", span.context.traceText)
        json.member("spanId", span.context.spanText)
        json.member("traceState", span.context.state.isEmpty ? nil : span.context.state)
        json.member("parentSpanId", span.parent?.lowercaseHex)
        json.member("flags", span.context.isSampled ? 1 : 0)
        json.member("name", span.name)
        json.member("kind", span.kind.number)
        json.member("startTimeUnixNano", "\(span.begin)")
        json.member("endTimeUnixNano", "\(span.end)")
        writeMember(span.attributes, to: &json)
        json.list("events", span.events) { json, event in
            json.member("timeUnixNano", "\(event.nanosecondsSinceEpoch)")
            json.member("name", event.name)
            writeMember(event.attributes, to: &json)
        }
        json.list("links", span.links) { json, link in
            json.member("traceId", link.context.traceText)
            json.member("spanId", link.context.spanText)
            writeMember(link.attributes, to: &json)
        }
        if let status = span.status {
            json.member("status") { json in
                json.object { json in
                    json.member("code", status.code == .error ? 2 : 1)
                    json.member("message", status.message)
                }
            }
        }
    }

    private static func writeMember(_ attributes: SpanAttributes, to json: inout JSONWriter) {
        var all: [(String, SpanAttribute)] = []
        attributes.forEach { all.append(($0, $1)) }
        json.list("attributes", all.sorted { $0.0 < $1.0 }) { writeMembers(of: $1.0, $1.1, to: &$0) }
    }

    /// The longest text of an attribute, in characters; longer ones are truncated.
    private static let longestText = 1_024

    private static func writeMembers(of name: String, _ attribute: SpanAttribute, to json: inout JSONWriter) {
        json.member("key", name)
        json.member("value") { json in
            json.object { json in
                switch attribute {
                case .int32(let number): json.member("intValue", "\(number)")
                case .int64(let number): json.member("intValue", "\(number)")
                case .double(let fraction) where fraction.isFinite: json.member("doubleValue", fraction)
                case .double(let fraction): json.member("stringValue", "\(fraction)")
                case .bool(let truth): json.member("boolValue", truth)
                case .string(let text): json.member("stringValue", String(text.prefix(longestText)))
                case .stringConvertible(let value):
                    json.member("stringValue", String("\(value)".prefix(longestText)))
                // The library reserves the right to add kinds, so they can't all be matched by name.
                default: json.member("stringValue", String("\(attribute)".prefix(longestText)))
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes a member that is a list of objects.
    fileprivate mutating func list<Element>(
        _ name: StaticString, _ elements: [Element], _ writeMembers: (inout JSONWriter, Element) -> Void
    ) {
        member(name) { json in
            json.list(elements) { json, element in json.object { writeMembers(&$0, element) } }
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
