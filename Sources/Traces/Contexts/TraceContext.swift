public import Tracing

/// Where a span stands in its trace, as services tell each other in `traceparent` and `tracestate` (W3C Trace Context).
public struct TraceContext: Hashable, Sendable {
    /// Of the whole trace; not 0.
    public var trace: UInt128
    /// Of the span; not 0.
    public var span: UInt64
    /// Whether who wrote it records the trace.
    public var isSampled: Bool
    /// What other systems say of it, handed on as it came; empty for nothing.
    public var state: String

    public init(trace: UInt128, span: UInt64, isSampled: Bool, state: String = "") {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Bytes of a `tracestate` that is handed on; a longer one is let go of whole (§3.3.1.5 asks for 512 at least).
    static let mostState = 512

    /// Reads `traceparent` (§3.2). Nil for what is none, and then `state` says nothing either (§4.3).
    public init?(parent: String, state: String? = nil) {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"),
            bytes[52] == UInt8(ascii: "-"),
            let version = UInt8(lowercaseHex: bytes[0..<2]), version != 0xff,
            let trace = UInt128(lowercaseHex: bytes[3..<35]), trace != 0,
            let span = UInt64(lowercaseHex: bytes[36..<52]), span != 0,
            let flags = UInt8(lowercaseHex: bytes[53..<55])
        else { return nil }
        // What comes after 00 may say more behind another hyphen (§3.2.4).
        guard bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-") else { return nil }
        let state = state ?? ""
        self.init(
            trace: trace, span: span, isSampled: flags & 1 == 1, state: state.utf8.count <= Self.mostState ? state : "")
    }

    /// As `traceparent` has it (§3.2.2).
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
    /// The span that what is begun in this context belongs to.
    public var trace: TraceContext? {
        get { self[TraceContext.self] }
        set { self[TraceContext.self] = newValue }
    }
}

extension FixedWidthInteger {
    /// Nil for anything but as many lower-case digits as it has.
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

    /// All digits that it has room for.
    var lowercaseHex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}
