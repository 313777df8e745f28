/// Ratings as a search states them.
enum Rating {
    /// -1 for rejected images, 0 for images without a rating, then one to five stars.
    private static let all = -1...5

    /// What `4`, `3..5`, `3..` or `..2` span; nil for anything else. An open range has only stars: an image without a
    /// rating has not fewer of them than any other.
    static func range(_ text: String) -> ClosedRange<Int>? {
        guard let dots = text.firstRange(of: "..") else { return number(text[...]).map { $0...$0 } }
        let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
        guard !first.isEmpty || !last.isEmpty else { return nil }
        let from = first.isEmpty ? .some(1) : number(first)
        let to = last.isEmpty ? .some(all.upperBound) : number(last)
        guard let from, let to, from <= to else { return nil }
        return from...to
    }

    private static func number(_ text: Substring) -> Int? {
        guard let digit = text.utf8.last, text.utf8.count == 1 || text == "-1", let number = Int(text),
            digit != UInt8(ascii: "+"), all.contains(number)
        else { return nil }
        return number
    }
}
