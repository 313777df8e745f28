import Images

/// Remembers for a while failures that a retry would only repeat. A pure value with bounded size; the oldest are
/// forgotten first.
struct NegativeCache: Sendable {
    /// A failure belongs to one content version, so a file that changes is tried again at once. Remote images have a
    /// nil version, because only their origin knows the current one.
    struct Subject: Hashable, Sendable {
        let image: ImageID
        let version: ContentVersion?
        let scope: Scope
    }

    /// Renditions fail separately: an original that cannot be rendered may still be sent, and an image with too many
    /// pixels for `full` may still be rendered smaller.
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

    /// The remembered failure, with the remaining time in `retryAfter`.
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

    /// Forgets a failure in every scope that has the same one: a broken original breaks all its renditions, and a retry
    /// of any of them tries the original again.
    mutating func forget(_ subject: Subject) {
        guard let failure = entries.peek(subject)?.failure else { return }
        for scope in Scope.allCases {
            let other = Subject(image: subject.image, version: subject.version, scope: scope)
            if entries.peek(other)?.failure == failure { entries.remove(other) }
        }
    }
}

extension NegativeCache.Subject {
    init(_ request: LoadRequest, version: ContentVersion?) {
        self.init(
            image: request.image.id, version: version, scope: NegativeCache.Scope(request.rendition))
    }
}
