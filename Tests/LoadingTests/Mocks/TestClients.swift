import Addresses
import Clients
import Images

@testable import Loading

extension Client {
    /// Whoever asks in a test that is not about clients.
    static let one = Client(.v4(1))
    static let other = Client(.v4(2))
}

extension TokenBook {
    func issue(_ wishes: [Wish], session: SessionID? = nil) -> (session: SessionID, tokens: [Issued]) {
        issue(wishes, session: session, client: .one)
    }

    func open() -> SessionID { open(for: .one) }

    func issue(
        showing images: [(slot: Int, image: ImageID)], session: SessionID,
        cancelled: @escaping @Sendable (Token) -> Void
    ) -> [Issued] {
        issue(showing: images, session: session, client: .one, cancelled: cancelled).tokens
    }
}
