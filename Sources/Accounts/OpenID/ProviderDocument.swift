/// A document that a provider publishes: fetched when it is first needed, kept for an hour, and shared by all who wait for it.
/// A failure is kept for a few seconds, so that a provider that is down is not asked for each sign-in.
actor ProviderDocument<Value: Sendable> {
    typealias Result = Swift.Result<Value, OpenIDError>

    /// In seconds, as all times here.
    private static var lifetime: Double { 3_600 }
    /// What browsers are told to wait (`Retry-After`).
    private static var lifetimeOfFailures: Double { 5 }
    /// The shortest time between two renewals.
    private static var coolDown: Double { 60 }

    private let uptime: @Sendable () -> Double
    private let fetch: @Sendable () async -> Result
    private var latest: Result?
    private var expires = -Double.infinity
    private var renewed = -Double.infinity
    private var fetching: Task<Result, Never>?

    init(uptime: @escaping @Sendable () -> Double, fetch: @escaping @Sendable () async -> Result) {
        self.uptime = uptime
        self.fetch = fetch
    }

    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func current() async throws(OpenIDError) -> Value {
        if let latest, uptime() < expires { return try latest.get() }
        return try await fetched()
    }

    /// Fetches the document again, because it seems to have changed, but at most once a minute. Until then, and if it cannot
    /// be fetched, the former one stays.
    ///
    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func renewed() async throws(OpenIDError) -> Value {
        guard uptime() >= renewed + Self.coolDown else { return try await current() }
        renewed = uptime()
        return try await fetched()
    }

    private func fetched() async throws(OpenIDError) -> Value {
        let task = fetching ?? Task { await keep(fetch()) }
        fetching = task
        return try await task.value.get()
    }

    private func keep(_ result: Result) -> Result {
        fetching = nil
        switch (result, latest) {
        case (.success, _):
            latest = result
            expires = uptime() + Self.lifetime
        case (.failure, .success?) where uptime() < expires: break
        case (.failure(let error), _):
            // Whoever caused the fetch has logged the details.
            latest = .failure(OpenIDError(error.reason))
            expires = uptime() + Self.lifetimeOfFailures
        }
        return result
    }
}
