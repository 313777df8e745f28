import HTTPServer
import HTTPTypes

/// Reads a request's query strictly: what is there is right, or the answer is 400 and says which field is wrong.
struct QueryReader {
    private let query: Query

    init(_ request: Request) {
        query = request.query
    }

    /// The one value of a parameter, or nil when it is absent.
    ///
    /// - Throws: a `Problem` when it comes more than once, since nobody knows which is meant.
    func text(_ name: String) throws(Problem) -> String? {
        let values = query.values(of: name)
        guard values.count <= 1 else { throw .badField(name, "must not come more than once.") }
        return values.first
    }

    /// A whole number written in ASCII digits.
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
    /// 400 that names the parameter or member that is wrong, and says what it should be.
    static func badField(_ name: String, _ rule: String) -> Problem {
        Problem(
            .badRequest, title: "A field is not as it should be", detail: "\(name) \(rule)",
            members: ["field": .string(name)])
    }
}

/// The largest whole number that every JSON reader keeps exactly (RFC 8259 §6).
let largestSafeInteger = 9_007_199_254_740_991
