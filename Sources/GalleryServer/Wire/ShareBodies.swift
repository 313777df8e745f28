import Accounts
import Encodings

/// `POST /api/v1/shares`.
struct NewShareBody: JSONReadable, Sendable {
    let name: String
    /// The canonical text of the view to share; empty for the whole gallery.
    let view: String
    /// The ids of the images to share in place of a view; empty for a view.
    let images: [String]
    /// Nil for a share that does not expire.
    let days: Int?
    /// Nil for none.
    let password: String?
    let contents: Share.Contents

    /// The most images of a selection.
    static let maximumImages = 1_000
    /// In bytes, with room for so many ids.
    static let longest = 64 << 10

    init(_ json: JSONField) throws(JSONFieldError) {
        name = try json.required("name").text(longest: 4 * Account.longestName)
        view = try json["view"]?.unlessNull?.text(longest: Viewport.longestView) ?? ""
        images =
            try json["images"]?.unlessNull?.list(atMost: Self.maximumImages) { (id) throws(JSONFieldError) in
                try id.text(longest: longestName)
            } ?? []
        days = try json["days"]?.unlessNull?.integer(in: 1...3650)
        let text = try json["password"]?.unlessNull?.text(longest: 4096)
        password = text?.isEmpty == true ? nil : text
        contents = try json["contents"]?.unlessNull?.options() ?? [.metadata]
    }
}

/// `POST /api/v1/unlock`.
struct UnlockBody: JSONReadable, Sendable {
    let password: String

    init(_ json: JSONField) throws(JSONFieldError) { password = try json.required("password").text(longest: 4096) }
}

struct SharesBody: JSONWritable {
    let shares: [ShareBody]

    func write(to json: inout JSONWriter) { json.object { $0.member("shares", shares) } }
}

/// A share, as its maker sees it.
struct ShareBody: JSONWritable {
    let share: Share
    let key: String
    /// Nil for the principal's own.
    let maker: String?

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", share.id)
            json.member("name", share.name)
            // Relative to the gallery's own address.
            json.member("link", String(SharePaths.start.dropFirst()) + key + "/")
            json.member("view", share.view)
            json.member("imageCount", share.images.isEmpty ? nil : share.images.count)
            json.member("contents", share.contents.names)
            json.member("password", share.hasPassword)
            json.member("created", Int(share.created))
            json.member("expires", share.expires.map { Int($0) })
            json.member("visits", share.visits)
            json.member("maker", maker)
        }
    }
}
