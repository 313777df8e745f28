import Accounts
import Catalog
import HTTPServer
import HTTPTypes

extension QueryReader {
    /// The view given by the parameters, or else the default view; within what exists for the sender.
    func view() throws -> View {
        do {
            return try View { try text($0) }.within(request)
        } catch let error as ViewError {
            throw Problem(error)
        }
    }
}

extension View {
    /// The view within what exists for the sender of a request.
    ///
    /// - Throws: A `Problem` with status 403 for a search by a visitor who may not learn what it would find.
    func within(_ request: Request) throws(Problem) -> View {
        guard search.isEmpty && folder == nil || request.learns([.metadata, .place]) else {
            throw Problem(
                .forbidden, title: "Search is not available", detail: "This link shows pictures without their metadata."
            )
        }
        return within(request.scope)
    }

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
