import Encodings

/// The query of a request: percent-decoded names and values, in order.
public struct Query: Sendable, RandomAccessCollection {
    public typealias Element = (name: String, value: String)

    private let pairs: [Element]

    /// Parses `name=value&name&…`. A pair that is not valid percent-encoded UTF-8 is kept as it is, so that
    /// validation sees a wrong value rather than none.
    init(_ bytes: some Collection<UInt8>) {
        pairs = bytes.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.text(parts[0]), parts.count > 1 ? Self.text(parts[1]) : "")
        }
    }

    /// Parses the query of a URL, without its question mark.
    public init(_ text: String) { self.init(text.utf8) }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        PercentEncoding.decode(bytes, plusIsSpace: true) ?? String(decoding: bytes, as: UTF8.self)
    }

    /// The value of the first pair with this name; empty if it has no value, nil if there is no such pair.
    public subscript(name: String) -> String? {
        pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The values of all pairs with this name.
    public func values(of name: String) -> [String] {
        pairs.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    public var startIndex: Int { pairs.startIndex }
    public var endIndex: Int { pairs.endIndex }
    public subscript(position: Int) -> Element { pairs[position] }
}
