/// A value of a JSON text together with its name, so that an error can say which one breaks a rule. All JSON that the
/// programs receive is read by it, strictly: a value has the type that it should have, or is refused.
public struct JSONField: Sendable {
    /// Empty for the element of a list, and usually for a whole text.
    @usableFromInline let name: String
    @usableFromInline let value: JSONValue

    /// A whole text.
    ///
    /// - Throws: ``JSONFieldError`` if `bytes` are no JSON text in UTF-8.
    public init(_ bytes: some Collection<UInt8>) throws(JSONFieldError) {
        try self.init(String(validating: bytes, as: UTF8.self) ?? "")
    }

    /// A whole text.
    ///
    /// - Parameter name: What errors call it.
    /// - Throws: ``JSONFieldError`` if `text` is no JSON text.
    public init(_ text: String, named name: String = "") throws(JSONFieldError) {
        guard let value = JSONValue(text) else { throw JSONFieldError(field: name, rule: "must be JSON") }
        self.init(name: name, value: value)
    }

    @usableFromInline init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }

    // MARK: - Members of an object

    /// A member; nil if it is absent. It may be null. Its errors give its name alone, without that of the object.
    public subscript(name: String) -> JSONField? {
        get throws(JSONFieldError) {
            guard case .object(let members) = value else { throw broken("must be an object") }
            return members[name].map { JSONField(name: name, value: $0) }
        }
    }

    /// - Throws: ``JSONFieldError`` if the member is absent.
    public func required(_ name: String) throws(JSONFieldError) -> JSONField {
        guard let member = try self[name] else { throw JSONFieldError(field: name, rule: "is missing") }
        return member
    }

    /// The field; nil if its value is null. For members that may be null instead of absent.
    public var unlessNull: JSONField? { value == .null ? nil : self }

    // MARK: - Values

    public var isText: Bool { if case .text = value { true } else { false } }

    /// - Parameter longest: The most bytes in UTF-8.
    public func text(longest: Int = .max) throws(JSONFieldError) -> String {
        guard case .text(let text) = value else { throw broken("must be text") }
        guard text.utf8.count <= longest else { throw broken("must have at most \(longest) bytes") }
        return text
    }

    /// The bytes of a text in base64url.
    ///
    /// - Parameter longest: The most bytes.
    public func base64url(longest: Int = .max) throws(JSONFieldError) -> [UInt8] {
        guard let bytes = Base64.url.decode(try text()), bytes.count <= longest else {
            throw broken("must be base64url" + (longest < .max ? " of at most \(longest) bytes" : ""))
        }
        return bytes
    }

    public func boolean() throws(JSONFieldError) -> Bool {
        guard case .boolean(let boolean) = value else { throw broken("must be true or false") }
        return boolean
    }

    public func number(in range: ClosedRange<Double>? = nil) throws(JSONFieldError) -> Double {
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .number(let value): number = value
        default: number = .nan
        }
        guard range?.contains(number) ?? number.isFinite else {
            throw broken("must be a number" + (range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""))
        }
        return number
    }

    /// A number without a fraction, however it is written: `2`, `2.0` or `20e-1`.
    public func integer(in range: ClosedRange<Int>? = nil) throws(JSONFieldError) -> Int {
        let integer: Int?
        switch value {
        case .integer(let value): integer = value
        case .number(let value): integer = Int(exactly: value)
        default: integer = nil
        }
        guard let integer, range?.contains(integer) ?? true else {
            throw broken("must be a whole number" + (range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""))
        }
        return integer
    }

    /// The elements of a list, as `read` returns them. Errors of `read` get the place of the element.
    @inlinable public func list<Element>(
        atMost most: Int = .max, _ read: (JSONField) throws(JSONFieldError) -> Element
    ) throws(JSONFieldError) -> [Element] {
        guard case .list(let values) = value, values.count <= most else {
            throw broken("must be a list" + (most < .max ? " of at most \(most) members" : ""))
        }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (position, value) in values.enumerated() {
            do throws(JSONFieldError) {
                elements.append(try read(JSONField(name: "", value: value)))
            } catch {
                let place = "\(name)[\(position)]"
                throw JSONFieldError(
                    field: error.field.isEmpty ? place : "\(place).\(error.field)", rule: error.rule)
            }
        }
        return elements
    }

    /// The error for a value that breaks a rule.
    ///
    /// - Parameter rule: Phrased to follow the name.
    @inlinable public func broken(_ rule: String) -> JSONFieldError { JSONFieldError(field: name, rule: rule) }
}

/// A value that can be read from JSON.
public protocol JSONReadable {
    /// - Throws: ``JSONFieldError`` for the first field that is missing or invalid.
    init(_ json: JSONField) throws(JSONFieldError)
}

/// Why a JSON text is refused.
public struct JSONFieldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the field is, such as `slots[3].image`; empty for the whole text.
    public let field: String
    /// The rule that it breaks, phrased to follow its name: `must be text`.
    public let rule: String

    @inlinable public init(field: String, rule: String) {
        self.field = field
        self.rule = rule
    }

    public var description: String { (field.isEmpty ? "the text" : field) + " " + rule }
}
