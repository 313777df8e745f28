import Catalog
import HTTPServer
import HTTPTypes

extension QueryReader {
    /// The view that the parameters name; the plain one where there are none.
    func view() throws -> View {
        do {
            return try View { try text($0) }
        } catch let error as ViewError {
            throw Problem(error)
        }
    }
}

extension View {
    /// The view of a canonical text, as a member of a body or of a message has it.
    ///
    /// - Throws: a `Problem` that names the field.
    init(text: String) throws {
        let query = Query(text)
        do {
            try self.init { name in
                let values = query.values(of: name)
                guard values.count <= 1 else { throw ViewError(field: name, reason: "must not come more than once.") }
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
            .badRequest, title: "A field is not as it should be", detail: error.description, members: members)
    }
}
