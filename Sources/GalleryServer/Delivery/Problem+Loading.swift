import HTTPServer
import HTTPTypes
import Loading

extension Problem {
    /// The error shown in a slot: what went wrong with the picture, and whether retrying makes sense.
    init(_ failure: LoadFailure) {
        var headers: HTTPFields = [:]
        if let wait = failure.retryAfter {
            headers[.retryAfter] = String(max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))
        }
        self.init(
            HTTPResponse.Status(code: failure.status), title: "The picture cannot be shown",
            detail: failure.publicMessage, headers: headers)
    }

    /// The response to a request whose token does not permit it.
    init(_ refusal: ClaimRefusal) {
        switch refusal {
        case .unknown, .otherPicture:
            self.init(
                .notFound, title: "No such token", detail: "The token is not valid for this image and rendition.",
                members: ["field": "token"])
        case .used:
            self.init(
                .conflict, title: "The token was used before", detail: "A token admits one request. Ask for another.",
                members: ["field": "token"])
        }
    }
}
