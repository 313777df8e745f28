/// The content codings that a client accepts, with their weights (RFC 9110 §12.5.3).
struct AcceptEncoding {
    /// Weights in thousandths, by name.
    private var weights: [Substring: Int] = [:]

    /// The best coding for the content, in lower case; nil for no coding. Without the field, nil, because the client
    /// is old or simple. Among equal weights the first coding wins, and any coding is preferred to none.
    static func best(of codings: some Collection<String>, in field: String?) -> String? {
        guard let field else { return nil }
        let known = AcceptEncoding(field.lowercased())
        var best: (coding: String, weight: Int)?
        for coding in codings {
            guard let weight = known.weight(of: coding[...]), weight > best?.weight ?? 0 else { continue }
            best = (coding, weight)
        }
        guard let best, best.weight >= known.weight(of: "identity") ?? 0 else { return nil }
        return best.coding
    }

    private init(_ field: String) {
        for item in field.split(separator: ",") {
            let parts = item.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
            guard let name = parts.first, !name.isEmpty else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Self.weight($0.dropFirst(2)) } ?? 1_000
            // RFC 9110 §8.4.1.3: an old name.
            weights[name == "x-gzip" ? "gzip" : name] = weight
        }
    }

    private func weight(of coding: Substring) -> Int? { weights[coding] ?? weights["*"] }

    /// Parses `qvalue` (RFC 9110 §12.4.2). A malformed one counts as 0.
    private static func weight(_ text: Substring) -> Int {
        let digits = text.dropFirst(2)
        guard let first = text.first, text.dropFirst().first.map({ $0 == "." }) ?? true, digits.count <= 3,
            digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), first == "0" || first == "1"
        else { return 0 }
        let padded = digits + String(repeating: "0", count: 3 - digits.count)
        let fraction = Int(padded) ?? 0
        if first == "1" { return fraction == 0 ? 1_000 : 0 }
        return fraction
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
