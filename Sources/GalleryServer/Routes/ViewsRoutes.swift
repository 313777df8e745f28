import Accounts
import Catalog
import HTTPServer
import HTTPTypes
import Images

/// A view as a whole: its months, its shape, and the position of an image in it; and the folders that a view can be
/// restricted to.
struct ViewsRoutes {
    let catalog: Catalog
    let workQueue: FairWorkQueue
    let paths: RenditionPath

    /// The most images whose aspect ratios one response has.
    private static let maximumRatios = 16_384

    func add(to router: inout Router) {
        for (path, body) in [
            ("/api/v1/timeline", timeline), ("/api/v1/folders", folders), ("/api/v1/position", position),
            ("/api/v1/shape", shape),
        ] {
            router.get(
                path, for: .view,
                answering { request in try await workQueue.run(for: request.client) { try await body(request) } })
        }
    }

    @Sendable private func timeline(_ request: Request) async throws -> Response {
        let view = try QueryReader(request).view()
        return try await JSONBody.response(to: request, TimelineBody(timeline: try await catalog.timeline(of: view)))
    }

    @Sendable private func folders(_ request: Request) async throws -> Response {
        let parent = try QueryReader(request).text("parent") ?? ""
        // A share of a part has no folders: their names and numbers say something of the rest.
        guard request.scope == nil else {
            return try await JSONBody.response(to: request, FoldersBody(parent: parent, folders: [], paths: paths))
        }
        return try await JSONBody.response(
            to: request,
            FoldersBody(
                parent: parent, folders: try await catalog.folders(in: parent),
                paths: paths.inside(request), showsTitles: request.learns(.metadata)))
    }

    @Sendable private func position(_ request: Request) async throws -> Response {
        let query = QueryReader(request)
        guard let text = try query.text("image") else { throw Problem.badField("image", "is missing.") }
        guard let id = paths.ids.decrypt(text) else { throw Problem.badField("image", "is not an image's id.") }
        let order = try await catalog.order(of: try query.view())
        for present in [id] + catalog.successors(of: id) {
            guard let index = order.position(of: present) else { continue }
            let body = PositionBody(
                image: present == id ? nil : paths.ids.encrypt(present), index: index, revision: order.revision)
            return try await JSONBody.response(to: request, body)
        }
        throw Problem(.notFound, title: "Not in this view", detail: "The view has no image with this id.")
    }

    @Sendable private func shape(_ request: Request) async throws -> Response {
        let query = QueryReader(request)
        let view = try query.view()
        let count = try query.integer("count", in: 1...Self.maximumRatios) ?? Shape.block
        guard let first = try query.integer("first", in: 0...largestSafeInteger - Self.maximumRatios) else {
            return try await JSONBody.response(to: request, ShapeBody(shape: try await catalog.shape(of: view)))
        }
        let (revision, bytes) = try await catalog.ratios(of: view, at: first..<first + count)
        var headers = SecurityHeaders.data
        headers[.contentType] = "application/octet-stream"
        headers[.cacheControl] = JSONBody.cacheControl(of: request)
        headers[.tesseraRevision] = "\(revision)"
        return Response(headers: headers, body: .bytes(bytes)).tagged(for: request)
    }
}

extension HTTPField.Name {
    /// The revision of the order that a response without JSON belongs to.
    static let tesseraRevision = Self("Tessera-Revision")!
}
