import Catalog
import HTTPServer
import HTTPTypes

extension Problem {
    /// The response to a client for a catalog error.
    init(_ error: CatalogError) {
        switch error {
        case .malformedCursor:
            self = .badField("cursor", "was not issued by this server.")
        case .staleCursor:
            self.init(.gone, title: "The cursor is too old", detail: error.description, members: ["field": "cursor"])
        case .offsetOutOfRange:
            self = .badField("offset", "must be 0 or more.")
        case .limitOutOfRange:
            self = .badField("limit", "must be a whole number from 1 to \(Page.maximumLimit).")
        case .fileUnavailable(.gone, _):
            self.init(.notFound, title: "The picture is gone", detail: "Its file can no longer be opened.")
        case .fileUnavailable(.forbidden, _):
            self.init(
                .forbidden, title: "The picture is not readable",
                detail: "The server is not permitted to read its file.")
        case .fileUnavailable(.passing, _):
            self.init(
                .serviceUnavailable, title: "The picture cannot be read right now", detail: "Try again in a moment.",
                headers: [.retryAfter: "5"])
        case .indexUnavailable, .closed:
            self.init(
                .serviceUnavailable, title: "The gallery cannot be read right now", detail: "Try again in a moment.",
                headers: [.retryAfter: "2"])
        case .positionsOnly:
            self.init(
                .conflict, title: "This gallery cannot be searched or sorted", detail: error.description,
                members: ["field": "sort"])
        case .busy:
            self.init(
                .serviceUnavailable, title: "The server is busy", detail: "Try again in a moment.",
                headers: [.retryAfter: "1"])
        case .badSource, .badConfiguration, .dataFolderUnusable, .dataFolderInUse:
            self.init(.internalServerError)
        }
    }
}

/// Wraps a handler so that catalog errors reach the client as problems.
func answering(_ body: @escaping Router.Asynchronous) -> Router.Asynchronous {
    { request in
        do {
            return try await body(request)
        } catch let error as CatalogError {
            throw Problem(error)
        }
    }
}
