import HTTPTypes

/// The fields of a request, looked up in the received bytes.
public struct RequestHeaders: Sendable {
    let head: RequestHead

    /// The value of a field; nil if it is absent. Several lines with one name are joined by `, ` (RFC 9110 §5.3),
    /// those of `Cookie` by `; `.
    public subscript(name: HTTPField.Name) -> String? {
        var result: String?
        forEachValue(of: name) { value in
            let text = Self.text(value)
            if let first = result {
                result = first + (name == .cookie ? "; " : ", ") + text
            } else {
                result = text
            }
        }
        return result
    }

    /// The values of a field, one per line, in order.
    public func values(of name: HTTPField.Name) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(Self.text($0)) }
        return values
    }

    /// Whether a field is present.
    public func contains(_ name: HTTPField.Name) -> Bool {
        var isFound = false
        forEachValue(of: name) { _ in isFound = true }
        return isFound
    }

    /// Whether there is a field whose name equals this one but for underscores in place of hyphens. Some servers take both for
    /// the same (RFC 3875 §4.1.18), so a proxy may have passed on what a client wrote.
    public func hasAlias(of name: HTTPField.Name) -> Bool {
        let wanted = Array(name.canonicalName.utf8)
        var isFound = false
        head.bytes.withUnsafeBytes { bytes in
            FieldLines(bytes: bytes, start: head.fields).forEach { name, _ in
                guard name.count == wanted.count, name.contains(UInt8(ascii: "_")) else { return }
                let isAlias = zip(name, wanted).allSatisfy { byte, wanted in
                    ASCII.lowercase(byte) == wanted || byte == UInt8(ascii: "_") && wanted == UInt8(ascii: "-")
                }
                isFound = isFound || isAlias
            }
        }
        return isFound
    }

    /// Whether a field asks for less than the whole content: a condition (RFC 9110 §13.1, whose names all begin with
    /// `If-`) or a range (§14.2).
    public var savesData: Bool {
        var isFound = false
        head.bytes.withUnsafeBytes { bytes in
            FieldLines(bytes: bytes, start: head.fields).forEach { name, _ in
                guard name.count > 3 else { return }
                switch ASCII.lowercase(name[0]) {
                case UInt8(ascii: "i"):
                    let isCondition = ASCII.lowercase(name[1]) == UInt8(ascii: "f") && name[2] == UInt8(ascii: "-")
                    isFound = isFound || isCondition
                case UInt8(ascii: "r"):
                    isFound = isFound || ASCII.isEqualIgnoringCase(name, lowercased: "range")
                default: break
                }
            }
        }
        return isFound
    }

    /// All fields in order, as a mutable value.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        head.bytes.withUnsafeBytes { bytes in
            FieldLines(bytes: bytes, start: head.fields).forEach { name, value in
                guard let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) else { return }
                fields.append(HTTPField(name: name, value: Self.text(value)))
            }
        }
        return fields
    }

    /// Reads bytes outside ASCII as ISO 8859-1 (RFC 9110 §5.5). As UTF-8 they could be combining marks, which make
    /// comparing and hashing a text slow.
    private static func text(_ value: UnsafeRawBufferPointer) -> String {
        if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: value.lazy.map { Unicode.Scalar($0) })
        return String(text)
    }

    private func forEachValue(of name: HTTPField.Name, _ body: (UnsafeRawBufferPointer) -> Void) {
        var wanted = name.canonicalName
        wanted.withUTF8 { wanted in
            head.bytes.withUnsafeBytes { bytes in
                FieldLines(bytes: bytes, start: head.fields).forEach { name, value in
                    if ASCII.isEqualIgnoringCase(name, lowercased: UnsafeRawBufferPointer(wanted)) { body(value) }
                }
            }
        }
    }
}
