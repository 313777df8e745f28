/// Ranges as a search states them: `A`, `A..B`, `A..` or `..B`.
enum SearchRange {
    /// - Parameters:
    ///   - limits: The ends of a range without a first or a last value.
    ///   - values: What one value spans; nil if it is none.
    /// - Returns: Nil for anything that is not a range, or is empty.
    static func of<Bound>(
        _ text: String, within limits: ClosedRange<Bound>, _ values: (Substring) -> ClosedRange<Bound>?
    ) -> ClosedRange<Bound>? {
        guard let dots = text.firstRange(of: "..") else { return values(text[...]) }
        let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
        guard !first.isEmpty || !last.isEmpty else { return nil }
        let from = first.isEmpty ? limits.lowerBound : values(first)?.lowerBound
        let to = last.isEmpty ? limits.upperBound : values(last)?.upperBound
        guard let from, let to, from <= to else { return nil }
        return from...to
    }
}

/// Ratings as a search states them.
enum Rating {
    /// -1 for rejected images, 0 for images without a rating, then one to five stars. An open range has only stars: an
    /// image without a rating has not fewer of them than any other.
    static func range(_ text: String) -> ClosedRange<Int>? { SearchRange.of(text, within: 1...5, stars) }

    private static func stars(_ text: Substring) -> ClosedRange<Int>? {
        guard text == "-1" || text.utf8.count == 1, let number = Int(text), -1...5 ~= number else { return nil }
        return number...number
    }
}

/// ISO speeds as a search states them.
enum Sensitivity {
    private static let maximum = UInt32.max

    static func range(_ text: String) -> ClosedRange<UInt32>? {
        SearchRange.of(text, within: 1...maximum) { value in
            guard value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = UInt32(value),
                1...maximum ~= number
            else { return nil }
            return number...number
        }
    }
}
