import Accounts
import Catalog
import HTTPServer
import HTTPTypes
import Images

/// Shares: making, listing and ending them; and the password that a visitor enters.
struct SharesRoutes {
    /// Nil in a gallery without accounts.
    let accounts: Accounts?
    let cookies: SessionCookies
    let catalog: Catalog
    let ids: ImageIDCipher

    func add(to router: inout Router) {
        router.get("/api/v1/shares", for: .share, shares)
        router.post("/api/v1/shares", for: .share, share)
        router.delete("/api/v1/shares/{id}", for: .share, end)
        router.post("/api/v1/unlock", for: .everyone, unlock)
    }

    @Sendable private func shares(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await unshared(
            request, SharesBody(shares: accounts.shares(for: principal).map { body($0, accounts, principal) }))
    }

    private func body(_ share: Share, _ accounts: Accounts, _ principal: Principal) -> ShareBody {
        ShareBody(
            share: share, key: share.key(accounts.secret),
            maker: share.account == principal.account ? nil : accounts.name(of: share.account))
    }

    @Sendable private func share(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let body = try await read(NewShareBody.self, from: request, upTo: NewShareBody.longest)
        let view = try View(text: body.view)
        let shared = view.sharedPart
        // Such as `q=-`, which finds everything.
        guard shared.description.isEmpty || View.Scope(of: shared) != nil else {
            throw Problem.badField("view", "shows everything. Leave it empty to share the whole gallery.")
        }
        let images = try await selection(body)
        let new = Accounts.NewShare(
            name: body.name, view: shared.description, images: images.map(\.rawValue),
            lifetime: body.days.map { Int64($0) * 86_400 },
            password: body.password, contents: body.contents)
        let share = try await problems { () async throws(AccountsError) in
            try await accounts.share(new, by: principal, from: request.sender)
        }
        return try await unshared(request, self.body(share, accounts, principal), status: .created)
    }

    /// The images of a selection, without those that have left the gallery since they were selected.
    private func selection(_ body: NewShareBody) async throws -> Set<ImageID> {
        guard body.images.isEmpty || body.view.isEmpty else {
            throw Problem.badField("images", "cannot be combined with a view.")
        }
        var images: Set<ImageID> = []
        for text in body.images {
            if let id = ids.decrypt(text), try await catalog.image(id) != nil { images.insert(id) }
        }
        guard body.images.isEmpty || !images.isEmpty else {
            throw Problem.badField("images", "must be ids of images in the gallery.")
        }
        return images
    }

    @Sendable private func end(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await done { () async throws(AccountsError) in
            try await accounts.endShare(request.parameters["id"] ?? "", by: principal, from: request.sender)
        }
    }

    /// Below the path of a share: exchanges its password for a cookie.
    @Sendable private func unlock(_ request: Request) async throws -> Response {
        guard let accounts, let visit = request.visit else { throw Problem.noSuchShare }
        let body = try await read(UnlockBody.self, from: request)
        let pass = try await problems { () async throws(AccountsError) in
            try await accounts.unlock(visit, password: body.password, from: request.sender)
        }
        var headers = cookies.field(pass: pass, key: visit.key, for: request)
        headers[.cacheControl] = "no-store"
        return Response(status: .noContent, headers: headers)
    }
}

extension View {
    /// What says which images the view shows, without their order.
    fileprivate var sharedPart: View {
        var part = View()
        part.search = search
        part.folder = folder
        return part
    }
}
