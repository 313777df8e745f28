/// The image types in an `Accept` header (RFC 9110 §12.5.1). Elements that do not parse are ignored.
struct AcceptedTypes {
    /// Weights in thousandths by subtype of `image`; the largest if one is repeated.
    private var named: [String: Int] = [:]
    private var anyImage: Int?
    private var anything: Int?

    init(_ header: String) {
        // The server limits the length of a header; this limits the number of its elements as well.
        for element in header.split(separator: ",", maxSplits: 64) {
            var parts = element.split(separator: ";", omittingEmptySubsequences: false).map(Self.trim)[...]
            guard let range = parts.popFirst()?.lowercased() else { continue }
            guard let weight = Self.weight(among: parts) else { continue }
            switch range {
            case "*/*": anything = max(anything ?? 0, weight)
            case "image/*": anyImage = max(anyImage ?? 0, weight)
            default:
                guard range.hasPrefix("image/") else { continue }
                let subtype = String(range.dropFirst("image/".count))
                named[subtype] = max(named[subtype] ?? 0, weight)
            }
        }
    }

    /// The weight of a subtype that the header names, 0 to 1000; nil if it doesn't.
    func explicitWeight(ofSubtype subtype: String) -> Int? { named[subtype] }

    /// The weight of the most specific range that matches, 0 to 1000; 0 if none does.
    func weight(ofSubtype subtype: String) -> Int { named[subtype] ?? anyImage ?? anything ?? 0 }

    /// The `q` parameter in thousandths (RFC 9110 §12.4.2), 1000 if absent; nil if malformed.
    private static func weight(among parameters: ArraySlice<Substring>) -> Int? {
        for parameter in parameters {
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            let name = trim(parameter[..<equals])
            guard name == "q" || name == "Q" else { continue }
            return thousandths(trim(parameter[parameter.index(after: equals)...]))
        }
        return 1000
    }

    /// Parses a `qvalue`: "0" or "1", then at most three decimals.
    private static func thousandths(_ text: Substring) -> Int? {
        let digits = Array(text.utf8)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else { return nil }
        guard digits.count <= 5 else { return nil }
        guard digits.count > 1 else { return first == UInt8(ascii: "1") ? 1000 : 0 }
        guard digits[1] == UInt8(ascii: ".") else { return nil }
        var value = 0
        for position in 2..<5 {
            let digit = position < digits.count ? digits[position] : UInt8(ascii: "0")
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        guard first == UInt8(ascii: "0") || value == 0 else { return nil }
        return first == UInt8(ascii: "1") ? 1000 : value
    }

    /// Removes optional whitespace (RFC 9110 §5.6.3) at both ends.
    private static func trim(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var trimmed = text.drop(while: isSpace)
        while let last = trimmed.last, isSpace(last) { trimmed.removeLast() }
        return trimmed
    }
}
