import Clients
import Images
import Loading
import Renditions

extension RelayMessage {
    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.number(kind.rawValue)
        writer.number(sender.rawValue)
        writer.number(number)
        switch body {
        case .issue(let order): writer.order(order)
        case .cancel(let tokens, let session, let client):
            writer.session(session)
            writer.text(client.description)
            writer.optional(tokens) { $0.tokens($1) }
        case .borrow(let token, let image, let rendition):
            writer.token(token)
            writer.number(image.rawValue)
            writer.text(rendition.rawValue)
        case .renew(let tokens), .renewed(let tokens): writer.tokens(tokens)
        case .issued(let tokens):
            writer.number(UInt16(clamping: tokens.count))
            for token in tokens { writer.optional(token) { $0.token($1) } }
        case .cancelled(let count): writer.number(UInt32(clamping: count))
        case .lending(let lending): writer.lending(lending)
        case .ended(let token, let end):
            writer.token(token)
            writer.text(end.rawValue)
        case .recall(let token): writer.token(token)
        case .crowded, .stopped: break
        }
        return writer.bytes
    }

    private var kind: Kind {
        switch body {
        case .issue: .issue
        case .cancel: .cancel
        case .borrow: .borrow
        case .renew: .renew
        case .issued: .issued
        case .cancelled: .cancelled
        case .lending: .lending
        case .renewed: .renewed
        case .crowded: .crowded
        case .ended: .ended
        case .recall: .recall
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

    fileprivate mutating func order(_ order: RelayedOrder) {
        session(order.session)
        text(order.client.description)
        text(order.rendition.rawValue)
        text(order.format.rawValue)
        flag(order.isVisible)
        flag(order.insists)
        number(UInt16(clamping: order.slots.count))
        for slot in order.slots {
            number(Int64(slot.number))
            number(slot.image.rawValue)
        }
    }

    fileprivate mutating func lending(_ lending: Lending) {
        switch lending {
        case .lent(let format, let insists):
            number(0 as UInt8)
            text(format.rawValue)
            flag(insists)
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
