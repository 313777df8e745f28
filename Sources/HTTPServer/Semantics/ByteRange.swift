/// The part of a representation that a `Range` field requests (RFC 9110 §14).
public enum ByteRange: Hashable, Sendable {
    /// All of it, with a 200: there is no field, it isn't understood, or it asks for several ranges, which a server
    /// may answer this way.
    case whole
    /// These bytes, with a 206.
    case part(Range<Int64>)
    /// None of the existing bytes: 416.
    case unsatisfiable

    /// Parses `bytes=0-499`, `bytes=500-` or `bytes=-500`, for a representation of `length` bytes.
    public init(_ field: String?, length: Int64) {
        self = .whole
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else { return }
        let bounds = field[equals...].dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        let (first, last) = (Self.number(bounds[0]), Self.number(bounds[1]))
        switch (bounds[0].isEmpty, bounds[1].isEmpty) {
        case (true, false):
            guard let last else { return }
            self = last > 0 && length > 0 ? .part(max(0, length - last)..<length) : .unsatisfiable
        case (false, true):
            guard let first else { return }
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (false, false):
            guard let first, let last, first <= last else { return }
            self = first < length ? .part(first..<(min(last, length - 1) + 1)) : .unsatisfiable
        case (true, true): return
        }
    }

    /// A number of any length; one that is too large counts as the largest.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }
}
