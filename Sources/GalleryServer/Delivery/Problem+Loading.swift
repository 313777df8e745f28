import HTTPServer
import HTTPTypes
import Loading

extension Problem {
    /// The honest error of a slot: what went wrong with this picture, and whether it is worth asking again.
    init(_ failure: LoadFailure) {
        var headers: HTTPFields = [:]
        if let wait = failure.retryAfter {
            headers[.retryAfter] = String(max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))
        }
        self.init(
            HTTPResponse.Status(code: failure.status), title: "The picture cannot be shown",
            detail: failure.publicMessage, headers: headers)
    }

    /// What a request is told whose token gives no leave.
    init(_ refusal: ClaimRefusal) {
        switch refusal {
        case .unknown, .otherPicture:
            self.init(
                .notFound, title: "No such token", detail: "The token is not one for this image and rendition.",
                members: ["field": "token"])
        case .used:
            self.init(
                .conflict, title: "The token was used before", detail: "A token admits one request. Ask for another.",
                members: ["field": "token"])
        }
    }
}
