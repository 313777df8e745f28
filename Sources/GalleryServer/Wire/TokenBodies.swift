import Encodings

/// The longest id, token or keyword in a message, in bytes.
let longestName = 64

/// A client's request for tokens for some slots, listed by image or as a range of positions.
struct TokenRequestBody: JSONReadable, Sendable {
    /// The most slots of a request.
    static let maximumSlots = 500

    let session: String?
    let rendition: String?
    /// `visible` (the default) or `prefetch`.
    let purpose: String?
    /// Bypasses the negative cache, because the user asked for a retry.
    let retry: Bool?
    /// The canonical text of the view in which `first` and `count` are positions.
    let view: String?
    let slots: [Slot]?
    let first: Int?
    let count: Int?

    init(_ json: JSONField) throws(JSONFieldError) {
        session = try json["session"]?.unlessNull?.text(longest: longestName)
        rendition = try json["rendition"]?.unlessNull?.text(longest: longestName)
        purpose = try json["purpose"]?.unlessNull?.text(longest: longestName)
        retry = try json["retry"]?.unlessNull?.boolean()
        view = try json["view"]?.unlessNull?.text(longest: Viewport.longestView)
        slots = try json["slots"]?.unlessNull?.list(atMost: Self.maximumSlots, Slot.init)
        first = try json["first"]?.unlessNull?.integer(in: 0...largestSafeInteger)
        count = try json["count"]?.unlessNull?.integer(in: 1...Self.maximumSlots)
    }

    struct Slot: JSONReadable, Sendable {
        let slot: Int
        let image: String

        init(_ json: JSONField) throws(JSONFieldError) {
            slot = try json.required("slot").integer(in: 0...largestSafeInteger)
            image = try json.required("image").text(longest: longestName)
        }
    }
}

/// The issued tokens.
struct TokenAnswerBody: JSONWritable {
    let session: String
    let tokens: [Granted]
    /// Slots whose image is not in the gallery.
    let refused: [Refused]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("session", session)
            json.member("tokens", tokens)
            json.member("refused", refused.isEmpty ? nil : refused)
        }
    }

    struct Granted: JSONWritable {
        let slot: Int
        let image: String
        let token: String
        let href: String

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("slot", slot)
                json.member("image", image)
                json.member("token", token)
                json.member("href", href)
            }
        }
    }

    struct Refused: JSONWritable {
        let slot: Int
        let image: String

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("slot", slot)
                json.member("image", image)
                json.member("reason", "The gallery no longer has this image.")
            }
        }
    }
}

/// What to cancel: the given tokens or, without `tokens`, the whole session.
struct CancelRequestBody: JSONReadable, Sendable {
    private static let maximumTokens = 1_000

    let session: String
    let tokens: [String]?

    init(_ json: JSONField) throws(JSONFieldError) {
        session = try json.required("session").text(longest: longestName)
        tokens = try json["tokens"]?.unlessNull?.list(atMost: Self.maximumTokens) {
            (token) throws(JSONFieldError) in try token.text(longest: longestName)
        }
    }
}

/// The number of tokens that were alive and are now cancelled.
struct CancelAnswerBody: JSONWritable {
    let cancelled: Int

    func write(to json: inout JSONWriter) { json.object { $0.member("cancelled", cancelled) } }
}
