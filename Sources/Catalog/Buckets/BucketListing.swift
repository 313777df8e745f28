import XML

/// Lists a bucket page by page, in the store's order. While one page is processed the next is already requested, as
/// soon as its continuation token is known.
struct BucketListing {
    let address: BucketAddress
    let store: any ObjectStoreRequesting
    /// The backoff for a page that failed, and the maximum number of retries.
    let pace: RetryPace
    let retries: Int
    var isStopped: () -> Bool
    /// Called with the reason when a page failed and will be retried, and with nil when a retry has succeeded.
    let delayed: (BucketRefusal?) -> Void

    /// Passes on all pages, one after another, until `isStopped` returns true.
    ///
    /// - Throws: ``BucketRefusal`` when a page cannot be fetched; whatever `take` throws.
    func read(_ take: (BucketPage) throws -> Void) throws {
        var (token, ahead) = (String?.none, PageRequest?.none)
        var circle = CycleDetector()
        while let page = try page(after: token, &ahead) {
            try take(page)
            guard let next = page.next else { return }
            guard !circle.closes(with: next) else {
                throw BucketRefusal(BucketPageReader.Fault(reason: "the listing repeats itself"))
            }
            token = next
        }
    }

    /// - Returns: Nil when the listing is to stop.
    private func page(after token: String?, _ ahead: inout PageRequest?) throws -> BucketPage? {
        for attempt in 0... {
            let request = ahead ?? PageRequest(address.listing(after: token), to: store)
            ahead = nil
            do {
                let page = try page(from: request, &ahead)
                // If the page ends with another token than the one requested ahead, that request is not for the next
                // page.
                if ahead?.url != page?.next.map({ address.listing(after: $0) }) { ahead = nil }
                if attempt > 0 { delayed(nil) }
                return page
            } catch let refusal as BucketRefusal {
                ahead = nil
                guard refusal.isPassing, attempt < retries, !isStopped() else { throw refusal }
                delayed(refusal)
                PageRequest.wait(pace.delay(after: attempt + 1), unless: isStopped)
            }
        }
        return nil
    }

    private func page(from request: PageRequest, _ ahead: inout PageRequest?) throws -> BucketPage? {
        try request.page(of: address, unless: isStopped) { next in
            guard let next else { return ahead = nil }
            if ahead == nil { ahead = PageRequest(address.listing(after: next), to: store) }
        }
    }
}

/// Detects a listing that cycles (Brent, 1980), so that a faulty store cannot keep it going for ever.
struct CycleDetector {
    private var mark: String?
    private var (steps, limit) = (0, 1)

    /// Whether this place is known to have been visited before. A cycle is always found, after a bounded number of
    /// steps.
    mutating func closes(with place: String) -> Bool {
        if place == mark { return true }
        steps += 1
        if steps == limit {
            mark = place
            steps = 0
            limit *= 2
        }
        return false
    }
}
