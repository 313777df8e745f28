import Addresses
import Clients
import Images

@testable import Loading

extension Client {
    /// The client of tests that are not about clients.
    static let one = Client(.v4(1))
    static let other = Client(.v4(2))
}

extension TokenRegistry {
    func issue(_ requests: [TokenRequest], session: SessionID? = nil) -> (session: SessionID, tokens: [Issued]) {
        issue(requests, session: session, client: .one)
    }

    func open() -> SessionID { open(for: .one) }

    func issue(
        displaying images: [(slot: Int, image: ImageID)], session: SessionID,
        cancelled: @escaping @Sendable (Token) -> Void
    ) -> [Issued] {
        issue(displaying: images, session: session, client: .one, cancelled: cancelled).tokens
    }
}
