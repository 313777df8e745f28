import Encodings

@testable import GalleryServer

/// A text message of the stream.
enum ClientMessageTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        do throws(JSONFieldError) {
            switch try ClientMessage(text) {
            case .viewport(let viewport):
                precondition((1...Viewport.maximumCount).contains(viewport.count) && viewport.first >= 0)
                precondition(viewport.slots.count == viewport.count)
                precondition((0...Viewport.maximumVelocity).contains(viewport.velocity))
                precondition((0...Viewport.maximumLag).contains(viewport.lag ?? 0))
                precondition(viewport.has.count <= ClientMessage.maximumEntries)
            case .received(let count): precondition(count >= 0)
            case .has(let images), .forgot(let images): precondition(images.count <= ClientMessage.maximumEntries)
            case .retry(let slots, bypassesNegativeCache: _):
                precondition(slots.count <= ClientMessage.maximumEntries)
                for slot in slots { precondition(slot >= 0) }
            case .ping: break
            }
            precondition(JSONValue(text) != nil)
        } catch {
            precondition(!error.field.isEmpty && !error.rule.isEmpty)
        }
    }
}
