/// What a client asks for: tokens for some slots, by image or as a run of indices.
struct TokenRequestBody: Decodable, Sendable {
    var session: String?
    var rendition: String?
    /// `visible` (the default) or `prefetch`.
    var purpose: String?
    /// Tries again what failed a moment ago: a person asked for it.
    var retry: Bool?
    /// The canonical text of the view that `first` and `count` are positions of.
    var view: String?
    var slots: [Slot]?
    var first: Int? { firstNumber?.value }
    var count: Int? { countNumber?.value }

    private var firstNumber: WholeNumber?
    private var countNumber: WholeNumber?

    private enum CodingKeys: String, CodingKey {
        case session, rendition, purpose, retry, view, slots
        case firstNumber = "first"
        case countNumber = "count"
    }

    struct Slot: Decodable, Sendable {
        var slot: Int { number.value }
        var image: String

        private var number: WholeNumber

        private enum CodingKeys: String, CodingKey {
            case number = "slot"
            case image
        }
    }
}

/// A whole number in a body. Of one that does not fit, Foundation's decoder does not say where it stands.
private struct WholeNumber: Decodable, Sendable {
    let value: Int

    init(from decoder: any Decoder) throws {
        do {
            value = try decoder.singleValueContainer().decode(Int.self)
        } catch {
            // Not even a DecodingError, where the number has no place in Swift.
            throw DecodingError.typeMismatch(
                Int.self, .init(codingPath: decoder.codingPath, debugDescription: "not a whole number that fits"))
        }
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

        init(noSuchImage image: String, slot: Int) {
            self.slot = slot
            self.image = image
            reason = "The gallery has no such image any more."
        }
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
