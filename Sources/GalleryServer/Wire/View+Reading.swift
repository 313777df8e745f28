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
    /// - Throws: A `Problem` with status 403 if the sender may not search.
    func within(_ request: Request) throws(Problem) -> View {
        guard let view = within(request.visit) else {
            throw Problem(
                .forbidden, title: "Search is not available", detail: "This link shows pictures without their metadata."
            )
        }
        return view
    }

    /// The view within a share; nil if the share does not grant what a search, or a folder's name, would tell.
    func within(_ visit: ShareVisit?) -> View? {
        guard let visit else { return self }
        let looksForSomething = !search.isEmpty || folder != nil
        guard !looksForSomething || visit.share.contents.contains([.metadata, .place]) else { return nil }
        return within(visit.scope)
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
