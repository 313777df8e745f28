import Catalog
import FoundationEssentials

/// Facts as the JSON that a statement takes: an array of objects, whose members are columns.
enum FactsText {
    static func of(_ facts: [SharedFacts]) throws -> String {
        String(decoding: try JSONEncoder().encode(facts.map(LogRow.init)), as: UTF8.self)
    }
}
