/// Hands on what this node lists to the others, part by part. That they cannot be reached, or that it has lost its turn, hinders
/// no listing: what is listed then is this node's alone. On the scanning queue.
final class ListingPublication {
    private let listing: SharedListing
    private let sharing: any ListingSharing
    private var lines = ""
    private var count = 0
    private var parts = 0
    private var hash = SipHash(domain: .listing)
    private var isLost = false
    private var said = ContinuousClock.now

    /// Others may be waiting for the first pictures: a part is handed on after this, as small as it may be.
    private static let patience = Duration.milliseconds(500)
    /// How often it is said that this node goes on.
    private static let sign = Duration.seconds(3)

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
            if count == ObjectLines.most || lines.utf8.count >= ObjectLines.bytes { handOn() }
        }
        if count > 0, parts == 0 || .now - said >= Self.patience { handOn() }
    }

    func keep() {
        guard !isLost, .now - said >= Self.sign else { return }
        ask { [listing, sharing] in try await sharing.keep(listing) }
    }

    /// - Returns: the digest of what was listed.
    func end() -> String {
        if count > 0 { handOn() }
        let digest = String(hash.finish(), radix: 16)
        ask { [listing, sharing] in try await sharing.end(listing, digest: digest) }
        return digest
    }

    func giveUp() {
        isLost = true
        try? waitFor { [listing, sharing] in await sharing.giveUp(listing) }
    }

    private func handOn() {
        ask { [listing, sharing, lines, parts] in try await sharing.add(lines, at: parts, to: listing) }
        (lines, count) = ("", 0)
        parts += 1
    }

    private func ask(_ body: @escaping @Sendable () async throws -> Void) {
        guard !isLost else { return }
        do { try waitFor(body) } catch { isLost = true }
        said = .now
    }
}
