import Images

/// Failures that a retry would only repeat, remembered for a while. A pure value; bounded, the oldest forgotten first.
struct FailureMemory: Sendable {
    /// A failure belongs to one content: a file that changes is tried again at once. Remote images have nil, since only
    /// their origin could tell.
    struct Subject: Hashable, Sendable {
        let image: ImageID
        let version: ContentVersion?
        let scope: Scope
    }

    /// An original may be sent though it cannot be rendered, and be rendered though all its pixels are too many.
    enum Scope: CaseIterable, Hashable, Sendable {
        case original
        case full
        case pyramid
        case rendered

        init(_ rendition: Rendition) {
            switch rendition {
            case .original: self = .original
            case .full: self = .full
            case .pyramid: self = .pyramid
            default: self = .rendered
            }
        }
    }

    private struct Entry: Sendable {
        let failure: LoadFailure
        let until: Duration
    }

    private let lifetime: Duration
    private var entries: Sieve<Subject, Entry>

    init(lifetime: Duration, capacity: Int) {
        self.lifetime = lifetime
        entries = Sieve(budget: capacity)
    }

    var count: Int { entries.count }

    /// The remembered failure, with the time that is left in `retryAfter`.
    mutating func failure(of subject: Subject, now: Duration) -> LoadFailure? {
        guard let entry = entries.peek(subject) else { return nil }
        guard now < entry.until else {
            entries.remove(subject)
            return nil
        }
        let failure = entry.failure
        return LoadFailure(
            status: failure.status, publicMessage: failure.publicMessage, logDetail: failure.logDetail,
            retryAfter: entry.until - now, isPermanent: true)
    }

    mutating func remember(_ failure: LoadFailure, of subject: Subject, now: Duration) {
        guard failure.isPermanent else { return }
        entries.insert(Entry(failure: failure, until: now + lifetime), for: subject, cost: 1)
    }

    /// Forgets a failure in every scope in which it is the same: what is wrong with the original is wrong with all that
    /// is made of it, and whoever tries one of them again tries the original again.
    mutating func forget(_ subject: Subject) {
        guard let failure = entries.peek(subject)?.failure else { return }
        for scope in Scope.allCases {
            let other = Subject(image: subject.image, version: subject.version, scope: scope)
            if entries.peek(other)?.failure == failure { entries.remove(other) }
        }
    }
}

extension FailureMemory.Subject {
    init(_ request: LoadRequest, version: ContentVersion?) {
        self.init(
            image: request.image.id, version: version, scope: FailureMemory.Scope(request.rendition))
    }
}
