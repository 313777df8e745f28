/// What a client asks for: tokens for some slots, by image or as a run of indices.
struct TokenRequestBody: Decodable, Sendable {
    var session: String?
    var rendition: String?
    /// `visible` (the default) or `prefetch`.
    var purpose: String?
    /// Tries again what failed a moment ago: a person asked for it.
    var retry: Bool?
    var slots: [Slot]?
    var first: Int?
    var count: Int?

    struct Slot: Decodable, Sendable {
        var slot: Int
        var image: String
    }
}

/// The tokens that were issued.
struct TokenAnswerBody: Encodable, Sendable {
    let session: String
    let tokens: [Granted]
    /// Slots whose image the gallery does not have; absent when there are none.
    let refused: [Refused]?

    struct Granted: Encodable, Sendable {
        let slot: Int
        let image: String
        let token: String
        let href: String
    }

    struct Refused: Encodable, Sendable {
        let slot: Int
        let image: String
        let reason: String
    }
}

/// What is to be cancelled: some tokens, or, without `tokens`, the session with all it has.
struct CancelRequestBody: Decodable, Sendable {
    var session: String
    var tokens: [String]?
}

/// How many tokens were still alive and are now cancelled.
struct CancelAnswerBody: Encodable, Sendable {
    let cancelled: Int
}
