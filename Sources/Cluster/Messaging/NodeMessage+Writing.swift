import Clients
import Images
import Loading
import Renditions

extension NodeMessage {
    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.number(kind.rawValue)
        writer.number(sender.rawValue)
        writer.number(number)
        switch body {
        case .issue(let tokenRequest): writer.tokenRequest(tokenRequest)
        case .cancel(let tokens, let session, let client):
            writer.session(session)
            writer.text(client.description)
            writer.optional(tokens) { $0.tokens($1) }
        case .requestForwarding(let token, let image, let rendition):
            writer.token(token)
            writer.number(image.rawValue)
            writer.text(rendition.rawValue)
        case .renew(let tokens), .renewed(let tokens): writer.tokens(tokens)
        case .issued(let tokens):
            writer.number(UInt16(clamping: tokens.count))
            for token in tokens { writer.optional(token) { $0.token($1) } }
        case .cancelled(let count): writer.number(UInt32(clamping: count))
        case .reply(let reply): writer.reply(reply)
        case .ended(let token, let end):
            writer.token(token)
            writer.text(end.rawValue)
        case .revoke(let token): writer.token(token)
        case .overloaded, .stopped: break
        }
        return writer.bytes
    }

    private var kind: Kind {
        switch body {
        case .issue: .issue
        case .cancel: .cancel
        case .requestForwarding: .requestForwarding
        case .renew: .renew
        case .issued: .issued
        case .cancelled: .cancelled
        case .reply: .reply
        case .renewed: .renewed
        case .overloaded: .overloaded
        case .ended: .ended
        case .revoke: .revoke
        case .stopped: .stopped
        }
    }
}

extension MessageWriter {
    fileprivate mutating func token(_ token: Token) {
        var bytes: [UInt8] = []
        token.appendBytes(to: &bytes)
        raw(bytes)
    }

    fileprivate mutating func session(_ session: SessionID) {
        var bytes: [UInt8] = []
        session.appendBytes(to: &bytes)
        raw(bytes)
    }

    fileprivate mutating func tokens(_ tokens: [Token]) {
        number(UInt16(clamping: tokens.count))
        for token in tokens { self.token(token) }
    }

    fileprivate mutating func tokenRequest(_ tokenRequest: ForwardedTokenRequest) {
        session(tokenRequest.session)
        text(tokenRequest.client.description)
        text(tokenRequest.rendition.rawValue)
        text(tokenRequest.format.rawValue)
        flag(tokenRequest.isVisible)
        flag(tokenRequest.bypassesNegativeCache)
        number(UInt16(clamping: tokenRequest.slots.count))
        for slot in tokenRequest.slots {
            number(Int64(slot.number))
            number(slot.image.rawValue)
        }
    }

    fileprivate mutating func reply(_ reply: ForwardingReply) {
        switch reply {
        case .permitted(let format, let bypassesNegativeCache):
            number(0 as UInt8)
            text(format.rawValue)
            flag(bypassesNegativeCache)
        case .cancelled: number(1 as UInt8)
        case .failed(let failure):
            number(2 as UInt8)
            text(failure.text)
        case .refused(.unknown): number(3 as UInt8)
        case .refused(.otherPicture): number(4 as UInt8)
        case .refused(.used): number(5 as UInt8)
        }
    }
}
