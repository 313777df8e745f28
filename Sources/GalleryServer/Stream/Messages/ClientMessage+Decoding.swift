import Encodings
import Images

extension ClientMessage {
    /// Decodes one text message. Unknown members are ignored; a null is not an absent member, because JavaScript writes
    /// one for NaN.
    ///
    /// - Throws: `JSONFieldError` for the first member that is missing or invalid.
    init(_ text: String) throws(JSONFieldError) {
        let message = try JSONField(text, named: "message")
        let type = try message.required("type")
        switch try type.text(longest: longestName) {
        case "viewport": self = .viewport(try Viewport(message))
        case "received": self = .received(try message.required("bytes").integer(in: 0...largestSafeInteger))
        case "has": self = .has(try message.required("images").heldImages())
        case "forgot": self = .forgot(try message.required("images").heldImages())
        case "retry":
            let slots = try message.required("slots").list(atMost: Self.maximumEntries) {
                (slot) throws(JSONFieldError) in try slot.integer(in: 0...largestSafeInteger)
            }
            self = .retry(slots, bypassesNegativeCache: try message["insists"]?.boolean() ?? true)
        case "ping": self = .ping
        default: throw type.broken("must be viewport, received, has, forgot, retry or ping")
        }
    }
}

extension Viewport: JSONReadable {
    init(_ json: JSONField) throws(JSONFieldError) {
        self.init(
            first: try json.required("first").integer(in: 0...largestSafeInteger),
            count: try json.required("count").integer(in: 1...Self.maximumCount))
        revision = try (json["revision"]?.integer(in: 0...largestSafeInteger)).map(UInt64.init)
        direction = try json["direction"]?.integer(in: -1...1) ?? 0
        velocity = try json["velocity"]?.number(in: 0...Self.maximumVelocity) ?? 0
        landing = try json["landing"]?.integer(in: 0...largestSafeInteger)
        pixels = try json["pixels"]?.integer(in: 1...100_000)
        if let field = try json["side"] {
            guard let side = Side(rawValue: try field.text(longest: longestName)) else {
                throw field.broken("must be longer, shorter, height or box")
            }
            self.side = side
        }
        height = try json["height"]?.integer(in: 1...100_000)
        if side == .box { for needed in ["pixels", "height"] { _ = try json.required(needed) } }
        ahead = try json["ahead"]?.integer(in: 0...Self.maximumAhead)
        behind = try json["behind"]?.integer(in: 0...Self.maximumAhead)
        takesParts = try json["parts"]?.boolean() ?? false
        savesData = try json["saveData"]?.boolean() ?? false
        lag = try (json["lag"]?.number(in: 0...60_000)).map { min($0 / 1_000, Self.maximumLag) }
        rate = try json["rate"]?.number(in: 0...Self.maximumRate)
        received = try json["received"]?.integer(in: 0...largestSafeInteger)
        has = try json["has"]?.heldImages() ?? []
        view = try json["view"]?.text(longest: Self.longestView) ?? ""
    }
}

extension JSONField {
    fileprivate func heldImages() throws(JSONFieldError) -> [HeldImage] {
        try list(atMost: ClientMessage.maximumEntries, HeldImage.init)
    }
}

extension HeldImage: JSONReadable {
    init(_ json: JSONField) throws(JSONFieldError) {
        let imageField = try json.required("image")
        guard let image = ImageID(try imageField.text(longest: longestName)) else {
            throw imageField.broken("must be an image's id")
        }
        let versionField = try json.required("version")
        guard let version = ContentVersion(try versionField.text(longest: longestName)) else {
            throw versionField.broken("must be a version")
        }
        // A newer client may hold renditions that this server does not know.
        let renditions = try json.required("renditions").list(atMost: ClientMessage.maximumEntries) {
            (name) throws(JSONFieldError) in StreamRendition(name: try name.text(longest: longestName))
        }
        self.init(
            image: image, version: version,
            renditions: renditions.reduce(into: []) { if let rendition = $1 { $0.insert(.init(rendition)) } })
    }
}
