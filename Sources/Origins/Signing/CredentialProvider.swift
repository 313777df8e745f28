import Dispatch
import EventLoops
import Glibc
import Logging

/// Holds the object store's credentials, and renews them before they expire: no request waits for that while the
/// present ones are valid.
///
/// Invariant of the unchecked conformance: all mutable state is confined to the event loop.
final class CredentialProvider: @unchecked Sendable {
    typealias Answer = (Result<Credentials?, OriginError>) -> Void

    /// Credentials are renewed when less than this is left.
    private static let margin = Duration.seconds(300)
    /// Credentials from a file are read again after this time, because the file may have changed.
    private static let fileLife = Duration.seconds(60)
    /// The minimum time between two attempts to find credentials.
    private static let pace = Duration.seconds(5)

    let store: ObjectStore
    let origin: Origin
    private let loop: EventLoop
    /// A driver for signed requests and metadata requests only. They may go to addresses that other requests must not
    /// reach, and curl would reuse an open connection for any request to its host.
    let driver: CurlDriver
    private let logger: Logger
    private let fileDeadline: Duration
    private let readFile: @Sendable (String) -> String?
    private let reading = DispatchQueue(label: "tessera.origins.credentials")

    private var present: Credentials?
    /// When to renew the credentials; nil for never.
    private var renewsAt: ContinuousClock.Instant?
    private var lastLookup: ContinuousClock.Instant?
    private var isLookingUp = false
    /// Whether files are being read; a disk that hangs may take for ever.
    private var isReading = false
    /// The number of lookups so far.
    private var lookups = 0
    private var waiters: [Answer] = []
    private var question: ServiceTransfer?

    /// - Parameters:
    ///   - fileDeadline: How long the disk may take to read the files with credentials.
    ///   - readFile: Returns a file's text; nil if there is none. Blocking, and called off the loop.
    /// - Throws: ``OriginError`` if the endpoint is not a URL.
    init(
        _ store: ObjectStore, _ loop: EventLoop, _ driver: CurlDriver, _ logger: Logger,
        fileDeadline: Duration = .seconds(10), readFile: @escaping @Sendable (String) -> String? = text(of:)
    ) throws(OriginError) {
        self.store = store
        origin = try OriginURL(store.endpoint).origin
        self.loop = loop
        self.driver = driver
        self.logger = logger
        self.fileDeadline = fileDeadline
        self.readFile = readFile
    }

    /// Seconds since 1970, the clock by which credentials expire. Everything else uses the monotonic clock.
    private var date: Int64 { Int64(time(nil)) }
    private var hasRecentLookup: Bool { lastLookup.map { ContinuousClock.now - $0 < Self.pace } ?? false }

    /// Calls back with valid credentials: at once if there are any, otherwise when they have been found. Nil means that
    /// requests must not be signed.
    func credentials(_ answer: @escaping Answer) {
        let settings = store.credentials
        if settings.isAnonymous { return answer(.success(nil)) }
        if let given = settings.given { return answer(.success(given)) }
        if let present, present.expires ?? .max > date {
            if let renewsAt, .now >= renewsAt { lookUp() }
            return answer(.success(present))
        }
        // A search that failed a moment ago would fail again.
        if !isLookingUp, hasRecentLookup { return answer(.failure(absence)) }
        waiters.append(answer)
        lookUp()
    }

    private var absence: OriginError { OriginError(.credentials, logDetail: "no credentials for \(origin)") }

    /// Reports that the store refuses these credentials.
    ///
    /// - Returns: Whether there may be others.
    func renew(after refused: Credentials) -> Bool {
        guard store.credentials.given == nil, !store.credentials.isAnonymous else { return false }
        guard present == refused else { return true }
        guard !hasRecentLookup else { return false }
        present = nil
        return true
    }

    // MARK: Finding credentials

    private func lookUp() {
        guard !isLookingUp else { return }
        if present != nil, hasRecentLookup { return }
        isLookingUp = true
        lastLookup = .now
        lookups += 1
        loop.schedule(after: fileDeadline) { [weak self, lookups] in
            guard let self, isReading, isLookingUp, self.lookups == lookups else { return }
            logger.warning("The files with the object store's credentials cannot be read: the disk does not answer.")
            end(nil)
        }
        // The result of a reading that hangs serves this lookup, too.
        guard !isReading else { return }
        isReading = true
        let settings = store.credentials
        reading.async { [self] in
            let found = settings.file.flatMap(readFile).flatMap {
                CredentialsFile($0).credentials(of: settings.profile)
            }
            let token = settings.containerToken ?? settings.containerTokenFile.flatMap(readFile)?.trimmed
            loop.execute { [self] in
                isReading = false
                guard isLookingUp else { return }
                if let found { return end(found, renewsAt: .now + Self.fileLife) }
                if settings.isFileNamed { return end(nil) }
                askContainer(token)
            }
        }
    }

    private func askContainer(_ token: String?) {
        guard let url = store.credentials.containerURL else { return askMachine() }
        let fields = token.map { ["Authorization: \($0)"] } ?? []
        ask(url, fields: fields) { keeper, body in keeper.end(body.flatMap(RoleCredentials.credentials)) }
    }

    /// Version 2 of the EC2 instance metadata service: first a token, then the role's name, then its credentials.
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
                    keeper.end(body.flatMap(RoleCredentials.credentials))
                }
            }
        }
    }

    private func ask(
        _ url: String, method: String? = nil, fields: [String], then: @escaping (CredentialProvider, [UInt8]?) -> Void
    ) {
        let question = ServiceTransfer(driver, loop, .metadata) { [weak self] answer in
            guard let self else { return }
            let response = try? answer.get()
            then(self, response.flatMap { $0.status == 200 ? $0.body : nil })
        }
        self.question = question
        question.send(ServiceRequest(url: url, method: method, fields: fields))
    }

    private func end(_ found: Credentials?, renewsAt moment: ContinuousClock.Instant? = nil) {
        isLookingUp = false
        question = nil
        let hasChanged = found != nil && found != present
        if let found {
            present = found
            renewsAt = moment ?? found.expires.map { .now + max(.seconds($0 - date) - Self.margin, Self.pace) }
        } else if present == nil || present?.expires ?? .max <= date {
            present = nil
        }
        if hasChanged { logger.debug("credentials were found") }
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
    static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
