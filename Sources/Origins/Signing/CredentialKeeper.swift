import Dispatch
import EventLoops
import Glibc
import Logging

/// Keeps the credentials of the store, and gets others before they end: a request never waits for that while those that
/// are there are good.
///
/// Invariant of the unchecked conformance: everything mutable is read and written on the loop only.
final class CredentialKeeper: @unchecked Sendable {
    typealias Answer = (Result<Credentials?, OriginError>) -> Void

    /// Others are looked for when less than this is left.
    private static let margin = Duration.seconds(300)
    /// A file is read again after so long: others may have written it.
    private static let fileLife = Duration.seconds(60)
    /// Nobody is asked more often than that.
    private static let pace = Duration.seconds(5)

    let store: ObjectStore
    let origin: Origin
    private let loop: EventLoop
    /// Of signed requests and of those for credentials alone: they may go to addresses that others must not, and a connection
    /// that is open is used again by whoever names its host.
    let driver: CurlDriver
    private let logger: Logger
    private let reading = DispatchQueue(label: "tessera.origins.credentials")

    private var present: Credentials?
    /// When others are to be looked for; nil for never.
    private var renewsAt: ContinuousClock.Instant?
    private var lookedAt: ContinuousClock.Instant?
    private var isLooking = false
    private var waiters: [Answer] = []
    private var question: MetadataQuestion?

    /// - Throws: ``OriginError`` for an endpoint that is no URL.
    init(
        _ store: ObjectStore, _ loop: EventLoop, _ driver: CurlDriver, _ logger: Logger
    ) throws(OriginError) {
        self.store = store
        origin = try OriginURL(store.endpoint).origin
        self.loop = loop
        self.driver = driver
        self.logger = logger
    }

    /// Seconds since 1970, in which credentials say when they end. All else goes by a clock that nobody sets.
    private var date: Int64 { Int64(time(nil)) }
    private var hasJustLooked: Bool { lookedAt.map { ContinuousClock.now - $0 < Self.pace } ?? false }

    /// Calls with the present credentials: at once where there are any, else when they were got. Nil is for none at all,
    /// when nothing is to be signed.
    func credentials(_ answer: @escaping Answer) {
        let settings = store.credentials
        if settings.isAnonymous { return answer(.success(nil)) }
        if let given = settings.given { return answer(.success(given)) }
        if let present, present.expires ?? .max > date {
            if let renewsAt, .now >= renewsAt { look() }
            return answer(.success(present))
        }
        // What was looked for in vain a moment ago is not there now.
        if !isLooking, hasJustLooked { return answer(.failure(absence)) }
        waiters.append(answer)
        look()
    }

    private var absence: OriginError { OriginError(.credentials, logDetail: "no credentials for \(origin)") }

    /// The store refuses these.
    ///
    /// - Returns: whether there may be others.
    func renew(after refused: Credentials) -> Bool {
        guard store.credentials.given == nil, !store.credentials.isAnonymous else { return false }
        guard present == refused else { return true }
        guard !hasJustLooked else { return false }
        present = nil
        return true
    }

    // MARK: Looking

    private func look() {
        guard !isLooking else { return }
        if present != nil, hasJustLooked { return }
        isLooking = true
        lookedAt = .now
        let settings = store.credentials
        reading.async { [self] in
            let found = settings.file.flatMap(Self.text).flatMap {
                CredentialsFile($0).credentials(of: settings.profile)
            }
            let token = settings.containerToken ?? settings.containerTokenFile.flatMap(Self.text)?.trimmed
            loop.execute { [self] in
                if let found { return end(found, renewsAt: .now + Self.fileLife) }
                if settings.isFileNamed { return end(nil) }
                askContainer(token)
            }
        }
    }

    private func askContainer(_ token: String?) {
        guard let url = store.credentials.containerURL else { return askMachine() }
        let fields = token.map { ["Authorization: \($0)"] } ?? []
        ask(url, fields: fields) { keeper, body in keeper.end(body.flatMap(RoleAnswer.credentials)) }
    }

    /// Version 2 of the machine's metadata service: a token first, then the role's name, then its credentials.
    private func askMachine() {
        guard let base = store.credentials.metadataURL else { return end(nil) }
        let roles = base + "/latest/meta-data/iam/security-credentials/"
        ask(
            base + "/latest/api/token", method: "PUT", fields: ["X-aws-ec2-metadata-token-ttl-seconds: 300"]
        ) { keeper, body in
            guard let token = Self.word(body) else { return keeper.end(nil) }
            let fields = ["X-aws-ec2-metadata-token: \(token)"]
            keeper.ask(roles, fields: fields) { keeper, body in
                guard let role = Self.word(body) else { return keeper.end(nil) }
                keeper.ask(roles + role, fields: fields) { keeper, body in
                    keeper.end(body.flatMap(RoleAnswer.credentials))
                }
            }
        }
    }

    private func ask(
        _ url: String, method: String? = nil, fields: [String], then: @escaping (CredentialKeeper, [UInt8]?) -> Void
    ) {
        let question = MetadataQuestion(driver, loop) { [weak self] body in
            if let self { then(self, body) }
        }
        self.question = question
        question.ask(url, method: method, fields: fields)
    }

    private func end(_ found: Credentials?, renewsAt moment: ContinuousClock.Instant? = nil) {
        isLooking = false
        question = nil
        let isNews = found != nil && found != present
        if let found {
            present = found
            renewsAt = moment ?? found.expires.map { .now + max(.seconds($0 - date) - Self.margin, Self.pace) }
        } else if present == nil || present?.expires ?? .max <= date {
            present = nil
        }
        if isNews { logger.debug("credentials were found") }
        let answered = waiters
        waiters = []
        for waiter in answered {
            waiter(present.map { .success($0) } ?? .failure(absence))
        }
    }

    private static func word(_ body: [UInt8]?) -> String? {
        guard let body else { return nil }
        let line = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init)
        guard let word = line?.trimmed, (1...2048).contains(word.utf8.count),
            word.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        return word
    }

    /// A small file's text. Blocking.
    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
