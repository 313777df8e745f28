@testable import Catalog

/// A view in a client's words: a valid one has a canonical text that parses to the same view.
enum ViewTarget: FuzzTarget {
    private static let names = ["q", "folder", "sort", "direction", "seed"]

    static func run(_ input: [UInt8]) {
        // The values of the parameters, each followed by a newline.
        let values = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let given = Dictionary(zip(names, values)) { first, _ in first }
        let view: View
        do {
            view = try View { given[$0] }
        } catch {
            guard let error = error as? ViewError else { preconditionFailure("\(error)") }
            precondition(names.contains(error.field) && !error.reason.isEmpty)
            return
        }
        let named = Dictionary(uniqueKeysWithValues: view.parameters.map { ($0.name, $0.value) })
        guard let again = try? View({ named[$0] }) else {
            preconditionFailure("the canonical text is refused: \(view)")
        }
        precondition(again.description == view.description, "\(view) became \(again)")
        precondition(view.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "fit for a URL")
    }
}
