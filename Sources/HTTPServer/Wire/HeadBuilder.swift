import HTTPTypes

/// Validates the lines of a request's head one by one, and records what the connection must know.
struct HeadBuilder: Sendable {
    private var method = HTTPRequest.Method.get
    private var minorVersion: UInt8 = 1
    private var path = 0..<0
    private var query: Range<Int>?
    private var targetAuthority: Range<Int>?
    private var host: Range<Int>?
    private var contentLength: Int64?
    private var transferCodings: TransferCodings?
    private var closes = false
    private var requestsKeepAlive = false
    private var requestsUpgrade = false
    private var namesWebSocket = false
    private var expectation: Expectation?

    private enum Expectation: Sendable { case continuation, unknown }

    /// The codings in `Transfer-Encoding`, over all its lines.
    private struct TransferCodings: Sendable {
        var endsInChunked = false
        var hasOthers = false
    }

    // MARK: The request line (RFC 9112 §3)

    /// `line` is the range of the request line in `bytes`, which begin with the head.
    mutating func readRequestLine(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(RequestError) {
        var cursor = line.lowerBound
        while cursor < line.upperBound, ASCII.isToken(bytes[cursor]) { cursor += 1 }
        guard cursor > line.lowerBound, cursor < line.upperBound, bytes[cursor] == ASCII.space else {
            throw .malformed("The request line has no method.")
        }
        method = Self.method(UnsafeRawBufferPointer(rebasing: bytes[line.lowerBound..<cursor]))
        let target = cursor + 1
        cursor = target
        while cursor < line.upperBound, ASCII.isTarget(bytes[cursor]) { cursor += 1 }
        guard cursor > target, cursor < line.upperBound, bytes[cursor] == ASCII.space else {
            throw .malformed("The request line has no valid target.")
        }
        try readVersion(UnsafeRawBufferPointer(rebasing: bytes[(cursor + 1)..<line.upperBound]))
        try readTarget(bytes, target..<cursor)
    }

    private static func method(_ text: UnsafeRawBufferPointer) -> HTTPRequest.Method {
        let name = String(decoding: text, as: UTF8.self)
        return switch name {
        case "GET": .get
        case "HEAD": .head
        case "POST": .post
        // The characters have been validated, so the initializer doesn't fail.
        default: HTTPRequest.Method(rawValue: name) ?? .get
        }
    }

    private mutating func readVersion(_ text: UnsafeRawBufferPointer) throws(RequestError) {
        let digits: ClosedRange<UInt8> = 0x30...0x39
        guard text.count == 8, text.starts(with: "HTTP/".utf8), digits.contains(text[5]),
            text[6] == UInt8(ascii: "."), digits.contains(text[7])
        else { throw .malformed("The request line has no valid version.") }
        guard text[5] == UInt8(ascii: "1") else { throw .unknownVersion }
        // RFC 9110 §2.5: a higher minor version is treated as the highest supported one.
        minorVersion = min(text[7] - UInt8(ascii: "0"), 1)
    }

    private mutating func readTarget(_ bytes: UnsafeRawBufferPointer, _ target: Range<Int>) throws(RequestError) {
        guard method != .connect else { throw .tunnelRefused }
        if bytes[target.lowerBound] == UInt8(ascii: "/") {
            readPath(bytes, target)
        } else if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*"), method == .options {
            path = target
        } else {
            try readAbsoluteTarget(bytes, target)
        }
    }

    private mutating func readPath(_ bytes: UnsafeRawBufferPointer, _ target: Range<Int>) {
        path = target
        for index in target where bytes[index] == UInt8(ascii: "?") {
            path = target.lowerBound..<index
            query = (index + 1)..<target.upperBound
            return
        }
    }

    private mutating func readAbsoluteTarget(
        _ bytes: UnsafeRawBufferPointer, _ target: Range<Int>
    ) throws(RequestError) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[target])
        let schemes: [StaticString] = ["http://", "https://"]
        let scheme = schemes.first { scheme in
            text.count > scheme.utf8CodeUnitCount
                && ASCII.isEqualIgnoringCase(
                    UnsafeRawBufferPointer(rebasing: text[..<scheme.utf8CodeUnitCount]), lowercased: scheme)
        }
        guard let scheme else { throw .malformed("The request target's form is not supported.") }
        // RFC 9110 §7.4: an https resource is available only over a secured connection.
        guard scheme.utf8CodeUnitCount == schemes[0].utf8CodeUnitCount else { throw .misdirected }
        let authority = target.lowerBound + scheme.utf8CodeUnitCount
        var cursor = authority
        while cursor < target.upperBound, ASCII.isAuthority(bytes[cursor]) { cursor += 1 }
        guard cursor > authority, bytes[authority] != ASCII.colon else {
            throw .malformed("The request target has no host.")
        }
        guard Authority.isValid(UnsafeRawBufferPointer(rebasing: bytes[authority..<cursor])) else {
            throw .malformed("The request target has no valid host.")
        }
        targetAuthority = authority..<cursor
        if cursor < target.upperBound, bytes[cursor] == UInt8(ascii: "/") {
            readPath(bytes, cursor..<target.upperBound)
            return
        }
        // An empty path means the root (RFC 9110 §4.2.3); the scheme's second slash supplies its byte.
        path = (authority - 1)..<authority
        guard cursor < target.upperBound else { return }
        guard bytes[cursor] == UInt8(ascii: "?") else {
            throw .malformed("The request target has no valid host.")
        }
        query = (cursor + 1)..<target.upperBound
    }

    // MARK: Field lines (RFC 9112 §5)

    /// Validates a field line, and returns where its name ends.
    static func fieldName(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(RequestError) -> Int {
        var colon = line.lowerBound
        while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon += 1 }
        guard colon < line.upperBound, bytes[colon] == ASCII.colon, colon > line.lowerBound else {
            throw .malformed(
                bytes[line.lowerBound] == ASCII.space || bytes[line.lowerBound] == ASCII.tab
                    ? "A header field is folded." : "A header field has no valid name.")
        }
        for index in (colon + 1)..<line.upperBound where !ASCII.isFieldValue(bytes[index]) {
            throw .malformed("The value of a header field holds a control character.")
        }
        return colon
    }

    mutating func readField(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) throws(RequestError) {
        let colon = try Self.fieldName(bytes, line)
        let name = UnsafeRawBufferPointer(rebasing: bytes[line.lowerBound..<colon])
        // The few fields that matter for framing have names of different lengths.
        switch name.count {
        case 4 where ASCII.isEqualIgnoringCase(name, lowercased: "host"):
            try readHost(bytes, (colon + 1)..<line.upperBound)
        case 6 where ASCII.isEqualIgnoringCase(name, lowercased: "expect"):
            readExpectation(value(bytes, colon, line))
        case 7 where ASCII.isEqualIgnoringCase(name, lowercased: "upgrade"):
            readUpgrade(value(bytes, colon, line))
        case 10 where ASCII.isEqualIgnoringCase(name, lowercased: "connection"):
            readConnection(value(bytes, colon, line))
        case 14 where ASCII.isEqualIgnoringCase(name, lowercased: "content-length"):
            try readContentLength(value(bytes, colon, line))
        case 17 where ASCII.isEqualIgnoringCase(name, lowercased: "transfer-encoding"):
            try readTransferCoding(value(bytes, colon, line))
        default: break
        }
    }

    private func value(_ bytes: UnsafeRawBufferPointer, _ colon: Int, _ line: Range<Int>) -> UnsafeRawBufferPointer {
        ASCII.trimmed(UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)..<line.upperBound]))
    }

    private mutating func readHost(_ bytes: UnsafeRawBufferPointer, _ field: Range<Int>) throws(RequestError) {
        guard host == nil else { throw .malformed("Host comes twice.") }
        var start = field.lowerBound
        var end = field.upperBound
        while start < end, bytes[start] == ASCII.space || bytes[start] == ASCII.tab { start += 1 }
        while end > start, bytes[end - 1] == ASCII.space || bytes[end - 1] == ASCII.tab { end -= 1 }
        guard Authority.isValid(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else {
            throw .malformed("Host is not valid.")
        }
        host = start..<end
    }

    private mutating func readExpectation(_ value: UnsafeRawBufferPointer) {
        for member in value.split(separator: UInt8(ascii: ",")) {
            let member = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: member))
            guard !member.isEmpty else { continue }
            let isContinue = ASCII.isEqualIgnoringCase(member, lowercased: "100-continue")
            expectation = isContinue && expectation != .unknown ? .continuation : .unknown
        }
    }

    private mutating func readConnection(_ value: UnsafeRawBufferPointer) {
        for option in value.split(separator: UInt8(ascii: ",")) {
            let option = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: option))
            if ASCII.isEqualIgnoringCase(option, lowercased: "close") { closes = true }
            if ASCII.isEqualIgnoringCase(option, lowercased: "keep-alive") { requestsKeepAlive = true }
            if ASCII.isEqualIgnoringCase(option, lowercased: "upgrade") { requestsUpgrade = true }
        }
    }

    private mutating func readUpgrade(_ value: UnsafeRawBufferPointer) {
        for name in value.split(separator: UInt8(ascii: ",")) {
            let name = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: name))
            if ASCII.isEqualIgnoringCase(name, lowercased: "websocket") { namesWebSocket = true }
        }
    }

    private mutating func readContentLength(_ value: UnsafeRawBufferPointer) throws(RequestError) {
        guard contentLength == nil else { throw .malformed("Content-Length is repeated.") }
        guard !value.isEmpty, value.count <= 18 else { throw .malformed("Content-Length is not valid.") }
        var length: Int64 = 0
        for byte in value {
            guard byte >= 0x30, byte <= 0x39 else { throw .malformed("Content-Length is not valid.") }
            length = length * 10 + Int64(byte - 0x30)
        }
        contentLength = length
    }

    private mutating func readTransferCoding(_ value: UnsafeRawBufferPointer) throws(RequestError) {
        var codings = transferCodings ?? TransferCodings()
        for name in value.split(separator: UInt8(ascii: ",")) {
            let name = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: name))
            guard !name.isEmpty else { continue }
            guard !codings.endsInChunked else { throw .malformed("Chunked is not the last transfer coding.") }
            codings.endsInChunked = ASCII.isEqualIgnoringCase(name, lowercased: "chunked")
            codings.hasOthers = codings.hasOthers || !codings.endsInChunked
        }
        transferCodings = codings
    }

    /// Determines the body's length (RFC 9112 §6.3).
    private func framing() throws(RequestError) -> RequestHead.Framing {
        guard let transferCodings else { return contentLength.map { .length($0) } ?? .none }
        guard contentLength == nil else { throw .malformed("Content-Length and Transfer-Encoding are both present.") }
        // RFC 9112 §6.1: HTTP/1.0 has no transfer codings, so the framing of such a message is faulty.
        guard minorVersion == 1 else { throw .malformed("Transfer-Encoding in HTTP/1.0.") }
        guard transferCodings.endsInChunked else { throw .malformed("Chunked is not the last transfer coding.") }
        guard !transferCodings.hasOthers else { throw .unknownCoding }
        return .chunked
    }

    // MARK: Result

    func finish(bytes: [UInt8], fieldsStart: Int) throws(RequestError) -> RequestHead {
        guard host != nil || minorVersion == 0 else { throw .malformed("Host is missing.") }
        let framing = try framing()
        // RFC 9110 §10.1.1: an expectation in HTTP/1.0 is ignored.
        if minorVersion == 1, expectation == .unknown { throw .unknownExpectation }
        let hasBody = framing != .none && framing != .length(0)
        return RequestHead(
            bytes: bytes, method: method, path: path, query: query, authority: targetAuthority ?? host,
            fields: fieldsStart, minorVersion: minorVersion, framing: framing,
            keepsAlive: !closes && (minorVersion == 1 || requestsKeepAlive),
            expectsContinue: minorVersion == 1 && expectation == .continuation && hasBody,
            requestsWebSocket: requestsUpgrade && namesWebSocket)
    }
}
