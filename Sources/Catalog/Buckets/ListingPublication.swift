import Hashing

/// Publishes this node's listing to the other nodes, part by part. If they cannot be reached or the lease is lost, the
/// listing goes on, and is used by this node alone. Runs on the scanning queue.
final class ListingPublication {
    private let listing: SharedListing
    private let sharing: any ListingSharing
    private var lines = ""
    private var count = 0
    private var parts = 0
    private var hash = SipHash(domain: .listing)
    private var isLost = false
    private var lastCall = ContinuousClock.now

    /// The longest wait before a part is published, however small: other nodes may be waiting for the first images.
    private static let maximumDelay = Duration.milliseconds(500)
    /// The interval at which this node renews the lease.
    private static let renewalInterval = Duration.seconds(3)

    init(_ listing: SharedListing, in sharing: any ListingSharing) {
        self.listing = listing
        self.sharing = sharing
    }

    func add(_ objects: [BucketObject]) {
        for object in objects {
            let line = ObjectLines.line(of: object)
            hash.update(line.utf8)
            guard !isLost else { continue }
            lines += line
            count += 1
            if count == ObjectLines.maximumObjects || lines.utf8.count >= ObjectLines.maximumBytes { publishPart() }
        }
        if count > 0, parts == 0 || .now - lastCall >= Self.maximumDelay { publishPart() }
    }

    func renewLease() {
        guard !isLost, .now - lastCall >= Self.renewalInterval else { return }
        ask { [listing, sharing] in try await sharing.renew(listing) }
    }

    /// - Returns: The digest of the listing.
    func end() -> String {
        if count > 0 { publishPart() }
        let digest = String(hash.finish(), radix: 16)
        ask { [listing, sharing] in try await sharing.end(listing, digest: digest) }
        return digest
    }

    func giveUp() {
        isLost = true
        try? waitFor { [listing, sharing] in await sharing.giveUp(listing) }
    }

    private func publishPart() {
        ask { [listing, sharing, lines, parts] in try await sharing.add(lines, at: parts, to: listing) }
        (lines, count) = ("", 0)
        parts += 1
    }

    private func ask(_ body: @escaping @Sendable () async throws -> Void) {
        guard !isLost else { return }
        do { try waitFor(body) } catch { isLost = true }
        lastCall = .now
    }
}
