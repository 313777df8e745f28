import Clients
import Images
import Loading
import Renditions

extension NodeMessage {
    /// Nil for bytes that no node sends.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        var reader = MessageReader(bytes[...])
        do throws(MessageError) {
            guard let kind = Kind(rawValue: try reader.number()) else { return nil }
            sender = NodeTag(rawValue: try reader.number())
            number = try reader.number()
            guard let body = try Self.body(kind, &reader) else { return nil }
            self.body = body
            try reader.end()
        } catch {
            return nil
        }
    }

    private static func body(_ kind: Kind, _ reader: inout MessageReader) throws(MessageError) -> Body? {
        switch kind {
        case .issue: return try reader.tokenRequest().map { .issue($0) }
        case .cancel:
            guard let session = SessionID(bytes: try reader.take(16)), let client = Client(try reader.word()) else {
                return nil
            }
            guard try reader.flag() else { return .cancel(nil, in: session, for: client) }
            return try reader.tokens().map { .cancel($0, in: session, for: client) }
        case .requestForwarding:
            guard let token = try reader.token() else { return nil }
            let image = ImageID(rawValue: try reader.number())
            return Rendition(rawValue: try reader.word()).map { .requestForwarding(token, image: image, $0) }
        case .renew: return try reader.tokens().map { .renew($0) }
        case .issued:
            let count = Int(try reader.number(UInt16.self))
            guard count <= maximumSlots else { return nil }
            var tokens: [Token?] = []
            for _ in 0..<count { tokens.append(try reader.flag() ? try reader.token() : nil) }
            return .issued(tokens)
        case .cancelled: return .cancelled(Int(try reader.number(UInt32.self)))
        case .reply: return try reader.reply().map { .reply($0) }
        case .renewed: return try reader.tokens().map { .renewed($0) }
        case .overloaded: return .overloaded
        case .ended:
            guard let token = try reader.token(), let end = TokenEnd(rawValue: try reader.word()) else { return nil }
            return .ended(token, end)
        case .revoke: return try reader.token().map { .revoke($0) }
        case .stopped: return .stopped
        }
    }
}

extension MessageReader {
    /// The names of renditions, formats and clients are shorter than this.
    fileprivate mutating func word() throws(MessageError) -> String { try text(upTo: 64, "a word") }

    fileprivate mutating func token() throws(MessageError) -> Token? { Token(bytes: try take(16)) }

    fileprivate mutating func tokens() throws(MessageError) -> [Token]? {
        let count = Int(try number(UInt16.self))
        guard count <= NodeMessage.maximumTokens else { return nil }
        var tokens: [Token] = []
        for _ in 0..<count {
            guard let token = try token() else { return nil }
            tokens.append(token)
        }
        return tokens
    }

    fileprivate mutating func tokenRequest() throws(MessageError) -> ForwardedTokenRequest? {
        guard let session = SessionID(bytes: try take(16)), let client = Client(try word()),
            let rendition = Rendition(rawValue: try word()), let format = OutputFormat(rawValue: try word())
        else { return nil }
        let isVisible = try flag()
        let bypassesNegativeCache = try flag()
        let count = Int(try number(UInt16.self))
        guard (1...NodeMessage.maximumSlots).contains(count) else { return nil }
        var slots: [ForwardedTokenRequest.Slot] = []
        for _ in 0..<count {
            // JavaScript's largest exact integer.
            let slot = Int(try integer(in: 0...(1 << 53 - 1), "slot"))
            slots.append(.init(number: slot, image: ImageID(rawValue: try number())))
        }
        return ForwardedTokenRequest(
            session: session, client: client, rendition: rendition, format: format, isVisible: isVisible,
            bypassesNegativeCache: bypassesNegativeCache, slots: slots)
    }

    fileprivate mutating func reply() throws(MessageError) -> ForwardingReply? {
        switch try number(UInt8.self) {
        case 0:
            guard let format = OutputFormat(rawValue: try word()) else { return nil }
            return .permitted(format: format, bypassesNegativeCache: try flag())
        case 1: return .cancelled
        case 2: return LoadFailure(text: try text(upTo: 1_024, "a failure")).map { .failed($0) }
        case 3: return .refused(.unknown)
        case 4: return .refused(.otherPicture)
        case 5: return .refused(.used)
        default: return nil
        }
    }
}
