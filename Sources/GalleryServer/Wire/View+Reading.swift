import Catalog
import HTTPServer
import HTTPTypes

extension QueryReader {
    /// The view given by the parameters; the default view if there are none.
    func view() throws -> View {
        do {
            return try View { try text($0) }
        } catch let error as ViewError {
            throw Problem(error)
        }
    }
}

extension View {
    /// Parses the canonical text of a view, as used in bodies and messages.
    ///
    /// - Throws: A `Problem` that names the field.
    init(text: String) throws {
        let query = Query(text)
        do {
            try self.init { name in
                let values = query.values(of: name)
                guard values.count <= 1 else { throw ViewError(field: name, reason: "must not be repeated.") }
                return values.first
            }
        } catch let error as ViewError {
            throw Problem(error)
        }
    }
}

extension Problem {
    init(_ error: ViewError) {
        var members: [String: Problem.Value] = ["field": .string(error.field)]
        if let word = error.word { members["word"] = .string(word) }
        self.init(
            .badRequest, title: "A field is invalid", detail: error.description, members: members)
    }
}
