import Hashing

extension SipHash {
    /// What is hashed, so that equal bytes with different meanings have different hashes.
    enum Domain: UInt64 {
        case file = 1
        case url = 2
        case template = 3
        case cursor = 4
        case object = 5
        case listing = 6
    }

    /// With a fixed key. It is part of the definition of ids: with another key, every image of every gallery would get
    /// another id.
    init(domain: Domain) {
        self.init(key: (0x5465_7373_6572_6131, domain.rawValue))
    }
}
