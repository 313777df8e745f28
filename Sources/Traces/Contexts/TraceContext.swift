public import Tracing

/// A span's position in its trace, as services exchange it in `traceparent` and `tracestate` (W3C Trace Context).
public struct TraceContext: Hashable, Sendable {
    /// The trace's ID; not 0.
    public var trace: UInt128
    /// The span's ID; not 0.
    public var span: UInt64
    /// Whether the sender records the trace.
    public var isSampled: Bool
    /// Vendor-specific data, passed on unchanged; may be empty.
    public var state: String

    public init(trace: UInt128, span: UInt64, isSampled: Bool, state: String = "") {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// The longest `tracestate` to pass on, in bytes; a longer one is dropped whole (§3.3.1.5 requires at least 512).
    static let maximumState = 512

    /// Parses `traceparent` (§3.2). Nil if it is malformed; then `state` is ignored, too (§4.3).
    public init?(parent: String, state: String? = nil) {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"),
            bytes[52] == UInt8(ascii: "-"),
            let version = UInt8(lowercaseHex: bytes[0..<2]), version != 0xff,
            let trace = UInt128(lowercaseHex: bytes[3..<35]), trace != 0,
            let span = UInt64(lowercaseHex: bytes[36..<52]), span != 0,
            let flags = UInt8(lowercaseHex: bytes[53..<55])
        else { return nil }
        // Versions after 00 may add fields after another hyphen (§3.2.4).
        guard bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-") else { return nil }
        let state = state ?? ""
        self.init(
            trace: trace, span: span, isSampled: flags & 1 == 1,
            state: state.utf8.count <= Self.maximumState ? state : "")
    }

    /// The `traceparent` header (§3.2.2).
    public var parent: String { "00-\(traceText)-\(spanText)-0\(isSampled ? 1 : 0)" }
    /// 32 hexadecimal digits.
    public var traceText: String { trace.lowercaseHex }
    /// 16 hexadecimal digits.
    public var spanText: String { span.lowercaseHex }
}

extension TraceContext: InstrumentationContextKey {
    public typealias Value = TraceContext

    public static var nameOverride: String? { "traceparent" }
}

extension InstrumentationContext {
    /// The parent of spans that start in this context.
    public var trace: TraceContext? {
        get { self[TraceContext.self] }
        set { self[TraceContext.self] = newValue }
    }
}

extension FixedWidthInteger {
    /// Nil unless there are exactly as many digits as the type needs, all lower-case.
    fileprivate init?(lowercaseHex digits: some Collection<UInt8>) {
        guard digits.count == Self.bitWidth / 4 else { return nil }
        var value: Self = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | Self(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | Self(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self = value
    }

    /// All digits of the type's width, with leading zeros.
    var lowercaseHex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
