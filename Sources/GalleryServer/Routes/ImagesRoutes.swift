import Accounts
import Catalog
import HTTPServer
import HTTPTypes
import Images

/// Pages of the gallery, and single images with their details.
struct ImagesRoutes {
    let catalog: Catalog
    let workQueue: FairWorkQueue
    let paths: RenditionPath

    private static let standardLimit = 100

    func add(to router: inout Router) {
        router.get(
            "/api/v1/images", for: .view,
            answering { request in
                try await workQueue.run(for: request.client) { try await page(for: request) }
            })
        router.get("/api/v1/images/{id}", for: .view, answering(details))
    }

    private func page(for request: Request) async throws -> Response {
        let query = QueryReader(request)
        let limit = try query.integer("limit", in: 1...Page.maximumLimit) ?? Self.standardLimit
        let offset = try query.integer("offset", in: 0...largestSafeInteger)
        let cursor = try query.text("cursor")
        let view = try query.view()
        guard offset == nil || cursor == nil else {
            throw Problem.badField("cursor", "cannot be combined with offset.")
        }
        let page =
            if let cursor {
                try await self.page(after: cursor, limit: limit, of: view)
            } else {
                try await catalog.page(offset: offset ?? 0, limit: limit, of: view)
            }
        let next = page.next.map { cursor in cursor.text { paths.ids.encrypt($0).rawValue } }
        let body = PageBody(
            view: view.description.isEmpty ? nil : view.description, revision: Int(clamping: page.revision),
            total: page.total,
            offset: page.offset, images: page.images, next: next, paths: paths.inside(request),
            showsTitles: request.learns(.metadata))
        var response = try await JSONBody.response(to: request, body)
        if let next {
            let rest = view.description.isEmpty ? "" : "&\(view)"
            response.headers[.link] =
                "<\(paths.inside(request).basePath)/api/v1/images?limit=\(limit)&cursor=\(next)\(rest)>; rel=\"next\""
        }
        return response
    }

    private func page(after text: String, limit: Int, of view: View) async throws -> Page {
        guard let cursor = Cursor(text, decrypt: { paths.ids.decrypt(PublicImageID(rawValue: $0)) }) else {
            throw Problem.badField("cursor", "was not issued by this server.")
        }
        return try await catalog.page(after: cursor, limit: limit, of: view)
    }

    private func details(for request: Request) async throws -> Response {
        let image = try await catalog.requireImage(request.parameters["id"].flatMap(paths.ids.decrypt))
        try await catalog.require(image.id, in: request.scope)
        return try await JSONBody.response(
            to: request,
            ImageDetailsBody(
                image: image, index: try await catalog.position(of: image.id, in: .plain.within(request.scope)) ?? 0,
                folder: request.visit == nil ? catalog.folder(of: image) : nil, paths: paths.inside(request),
                showsMetadata: request.learns(.metadata), showsPlace: request.learns(.place)))
    }
}

extension Catalog {
    /// The image with the id in a path; nil if the path has none.
    ///
    /// - Throws: A `Problem` with status 404 if there is no such image.
    func requireImage(_ id: ImageID?) async throws -> GalleryImage {
        guard let id, let image = try await image(id) else { throw Problem.noSuchImage }
        return image
    }
}

extension Catalog {
    /// Throws the problem of an image that does not exist if the part of the gallery does not contain the image.
    func require(_ id: ImageID, in scope: View.Scope?) async throws {
        guard let scope else { return }
        guard try await contains(id, in: scope) else { throw Problem.noSuchImage }
    }
}

extension Problem {
    static let noSuchImage = Problem(
        .notFound, title: "No such image", detail: "The gallery has no image with this id.")
}

extension HTTPField.Name {
    static let link = Self("Link")!
}
