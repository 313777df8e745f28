import HTTPTypes

/// Writes the heads of responses (RFC 9112 §4): a response in, bytes and the framing of its body out, no I/O.
struct ResponseEncoder {
    /// The properties of the request that affect its response.
    struct Context {
        var isHead = false
        var minorVersion: UInt8 = 1
        /// Whether both client and server want to keep the connection alive.
        var keepsAlive = true
    }

    /// How the end of the body is indicated (RFC 9112 §6).
    enum Framing: Hashable {
        /// No body follows, whatever the response contains.
        case none
        case length(Int64)
        case chunked
        /// For HTTP/1.0: closing the connection ends the body.
        case untilClose
    }

    struct Plan: Hashable {
        var framing: Framing
        var keepsAlive: Bool
    }

    private var date = DateField()

    /// Appends the head of `response`, with its empty line. If it throws, nothing is appended.
    mutating func encode(
        _ response: Response, for context: Context, to bytes: inout [UInt8]
    ) throws(ResponseError) -> Plan {
        guard response.status != .switchingProtocols else { throw .invalidStatus(101) }
        let before = bytes.count
        var closes: Bool
        do {
            if let prepared = response.prepared {
                bytes.append(contentsOf: prepared.bytes)
                closes = prepared.closes
                if !response.headers.isEmpty, try Self.append(response.headers, to: &bytes) { closes = true }
            } else {
                closes = try Self.append(status: response.status, headers: response.headers, to: &bytes)
            }
        } catch {
            bytes.removeLast(bytes.count - before)
            throw error
        }
        var plan = Plan(framing: .none, keepsAlive: context.keepsAlive && !closes)
        switch response.status.code {
        case 204, 304: break
        default: plan.framing = Self.appendFraming(of: response, context, to: &bytes)
        }
        if plan.framing == .untilClose { plan.keepsAlive = false }
        if context.isHead { plan.framing = .none }
        if !plan.keepsAlive {
            Self.append("Connection: close\r\n", to: &bytes)
        } else if context.minorVersion == 0 {
            Self.append("Connection: keep-alive\r\n", to: &bytes)
        }
        bytes.append(contentsOf: date.line())
        Self.append("\r\n", to: &bytes)
        return plan
    }

    /// Appends the head, with its empty line, of an immediate response.
    mutating func encode(_ answer: ImmediateResponse, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: answer.head.bytes)
        Self.append("Content-Length: ", to: &bytes)
        Self.appendDecimal(Int64(answer.body.count), to: &bytes)
        Self.append("\r\n", to: &bytes)
        bytes.append(contentsOf: date.line())
        Self.append("\r\n", to: &bytes)
    }

    /// Appends the head, with its empty line, of a response after which the connection changes to another protocol
    /// (RFC 9110 §15.2.2). If it throws, nothing is appended.
    mutating func encodeUpgrade(_ response: Response, to bytes: inout [UInt8]) throws(ResponseError) {
        let before = bytes.count
        do {
            _ = try Self.append(status: response.status, headers: response.headers, to: &bytes)
        } catch {
            bytes.removeLast(bytes.count - before)
            throw error
        }
        bytes.append(contentsOf: date.line())
        Self.append("\r\n", to: &bytes)
    }

    private static func appendFraming(
        of response: Response, _ context: Context, to bytes: inout [UInt8]
    ) -> Framing {
        let length: Int64?
        switch response.body {
        case .empty where context.isHead:
            // Not zero: the body is omitted only because HEAD has none. The handler may know its length.
            guard let known = response.headers[.contentLength].flatMap({ Int64($0) }), known >= 0 else { return .none }
            length = known
        case .empty: length = 0
        case .bytes(let content): length = Int64(content.count)
        case .file(let region): length = region.length
        case .stream(_, let declared): length = declared
        }
        guard let length else {
            guard context.minorVersion > 0 else { return .untilClose }
            append("Transfer-Encoding: chunked\r\n", to: &bytes)
            return .chunked
        }
        append("Content-Length: ", to: &bytes)
        appendDecimal(length, to: &bytes)
        append("\r\n", to: &bytes)
        return .length(length)
    }

    /// Appends the status line and the handler's field lines. Returns whether they ask to close the connection.
    static func append(
        status: HTTPResponse.Status, headers: HTTPFields, to bytes: inout [UInt8]
    ) throws(ResponseError) -> Bool {
        guard (200...599).contains(status.code) || status == .switchingProtocols else {
            throw .invalidStatus(status.code)
        }
        append("HTTP/1.1 ", to: &bytes)
        appendDecimal(Int64(status.code), to: &bytes)
        bytes.append(ASCII.space)
        if status.reasonPhrase.utf8.allSatisfy(ASCII.isFieldValue) {
            bytes.append(contentsOf: status.reasonPhrase.utf8)
        }
        append("\r\n", to: &bytes)
        return try append(headers, to: &bytes)
    }

    /// Appends the handler's field lines. Returns whether they ask to close the connection.
    private static func append(_ headers: HTTPFields, to bytes: inout [UInt8]) throws(ResponseError) -> Bool {
        var closes = false
        for field in headers {
            switch field.name {
            case .contentLength, .transferEncoding, .date: continue
            case .connection: closes = closes || field.value.lowercased().contains("close")
            case .upgrade:
                // RFC 9110 §7.8: the field requires a connection option of the same name.
                append("Connection: upgrade\r\n", to: &bytes)
                try append(field.name, field.value, to: &bytes)
            default:
                try append(field.name, field.value, to: &bytes)
            }
        }
        return closes
    }

    /// Appends a field line.
    static func append(
        _ name: HTTPField.Name, _ value: String, to bytes: inout [UInt8]
    ) throws(ResponseError) {
        guard value.utf8.allSatisfy(ASCII.isFieldValue) else { throw .unsafeField(name: name.rawName) }
        bytes.append(contentsOf: name.rawName.utf8)
        append(": ", to: &bytes)
        bytes.append(contentsOf: value.utf8)
        append("\r\n", to: &bytes)
    }

    /// Appends the line before a chunk of `count` bytes (RFC 9112 §7.1).
    static func appendChunkSize(_ count: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: String(count, radix: 16).utf8)
        append("\r\n", to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func appendDecimal(_ value: Int64, to bytes: inout [UInt8]) {
        if value >= 10 { appendDecimal(value / 10, to: &bytes) }
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
