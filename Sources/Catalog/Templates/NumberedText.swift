/// A text with places for a number: `{index}`, or `{index:04}` for a number with zeros in front of it to fill four
/// digits.
struct NumberedText: Hashable, Sendable {
    /// The text around the numbers: one more than there are numbers.
    private var pieces: [String] = []
    /// The minimum number of digits of each number.
    private var widths: [Int] = []

    private static let maximumWidth = 18

    /// Nil if the text contains any other braces.
    init?(_ text: String) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"), let width = Self.width(rest[open...close]) else {
                return nil
            }
            pieces.append(String(rest[..<open]))
            widths.append(width)
            rest = rest[rest.index(after: close)...]
        }
        guard !rest.contains("}"), !pieces.contains(where: { $0.contains("}") }) else { return nil }
        pieces.append(String(rest))
    }

    /// Whether there is a place for the number.
    var hasNumber: Bool { !widths.isEmpty }

    /// The text with this number in all places.
    func text(_ number: Int) -> String {
        let digits = String(number)
        var text = pieces[0]
        text.reserveCapacity(pieces.reduce(0) { $0 + $1.utf8.count + max(digits.utf8.count, Self.maximumWidth) })
        for (piece, width) in zip(pieces.dropFirst(), widths) {
            if digits.utf8.count < width { text += repeatElement("0", count: width - digits.utf8.count) }
            text += digits
            text += piece
        }
        return text
    }

    /// The text with each piece around the numbers changed.
    func mappingPieces(_ change: (String) -> String) -> Self {
        var text = self
        text.pieces = pieces.map(change)
        return text
    }

    /// The width that a placeholder states; nil if it is not one.
    private static func width(_ placeholder: Substring) -> Int? {
        if placeholder == URLTemplate.placeholder { return 1 }
        guard placeholder.hasPrefix("{index:0") else { return nil }
        let digits = placeholder.dropFirst("{index:0".count).dropLast()
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(digits) else { return nil }
        return (1...maximumWidth).contains(width) ? width : nil
    }
}
