/// Lists a bucket page by page, in the store's order. While one page is taken in, the next is on its way, as soon as it
/// is known how to ask for it.
struct BucketListing {
    let address: BucketAddress
    let store: any ObjectStoreAsking
    /// How soon a page that did not come is asked for again, and how often.
    let pace: RetryPace
    let retries: Int
    var isStopped: () -> Bool
    /// Hears why a page did not come that is asked for again, and nil when it has come after all.
    let delayed: (BucketRefusal?) -> Void

    /// Hands out all pages, one after the other, until `isStopped` says true.
    ///
    /// - Throws: ``BucketRefusal`` when a page cannot be had; what `take` throws.
    func read(_ take: (BucketPage) throws -> Void) throws {
        var (token, ahead) = (String?.none, PageRequest?.none)
        var circle = CircleWatch()
        while let page = try page(after: token, &ahead) {
            try take(page)
            guard let next = page.next else { return }
            guard !circle.closes(with: next) else {
                throw BucketRefusal(BucketPageReader.Fault(reason: "it goes round in a circle"))
            }
            token = next
        }
    }

    /// Nil when it is to end.
    private func page(after token: String?, _ ahead: inout PageRequest?) throws -> BucketPage? {
        for attempt in 0... {
            let request = ahead ?? PageRequest(address.listing(after: token), to: store)
            ahead = nil
            do {
                let page = try page(from: request, &ahead)
                // A page that was asked for by another token than the one that it ends with is not the next.
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

/// Sees a walk that comes back to where it was (Brent, 1980), so that a store's fault does not keep it for ever.
struct CircleWatch {
    private var mark: String?
    private var (steps, limit) = (0, 1)

    /// Whether the walk was at this place before, or is bound to be found out soon.
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
