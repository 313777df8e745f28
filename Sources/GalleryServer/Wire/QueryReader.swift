import HTTPServer
import HTTPTypes

/// Reads a request's query strictly: an invalid parameter gets a 400 that names it.
struct QueryReader {
    private let query: Query
    let request: Request

    init(_ request: Request) {
        self.request = request
        query = request.query
    }

    /// The value of a parameter; nil if it is absent.
    ///
    /// - Throws: A `Problem` if the parameter is repeated, since it is ambiguous then.
    func text(_ name: String) throws(Problem) -> String? {
        let values = query.values(of: name)
        guard values.count <= 1 else { throw .badField(name, "must not be repeated.") }
        return values.first
    }

    /// A whole number in ASCII digits.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(text),
            range.contains(number)
        else {
            throw .badField(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension Problem {
    /// A 400 that names the invalid parameter or member, and states the rule.
    static func badField(_ name: String, _ rule: String) -> Problem {
        Problem(
            .badRequest, title: "A field is invalid", detail: "\(name) \(rule)",
            members: ["field": .string(name)])
    }
}

/// The largest integer that all JSON readers represent exactly (RFC 8259 §6).
let largestSafeInteger = 9_007_199_254_740_991
