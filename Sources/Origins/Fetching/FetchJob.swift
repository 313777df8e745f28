import Addresses
import CCurl
import EventLoops
import Logging
import Scheduling

/// One fetch through all its attempts and redirects. On the loop only.
final class FetchJob {
    /// Bytes that are kept of what a store says to a request that it refuses.
    private static let longestRefusal = 16 << 10

    private enum Stage {
        case waiting
        case transferring(Transfer)
        case resting(LoopTimer)
        case closed
    }

    /// How an attempt ends, once that is known; the transfer may still be reading away what nobody wants.
    enum Settlement {
        case finished
        case notModified(OriginHead)
        case redirect(to: String?)
        case failed(OriginError)
        /// The rest of the body could not be had: once more from the first byte.
        case startOver
    }

    let request: OriginRequest
    let ticket: FetchTicket
    unowned let engine: FetchEngine
    var priority: Priority
    private let events: @Sendable (OriginEvent) -> Void

    private let start: OriginURL
    private(set) var trail: RedirectTrail
    private var stage = Stage.waiting
    private var retries = 0
    private(set) var lastError: OriginError?
    private var clocks: FetchClocks

    // Of the body so far, over all attempts.
    var resumption: Resumption?
    var hasStarted = false

    // Of the present attempt.
    var settlement: Settlement?
    private(set) var isAnswered = false
    private(set) var isConditional = false
    private(set) var isRanged = false
    private(set) var begun = ContinuousClock.now
    var refusal: OriginError.Refusal?
    /// Of a signed request: what it was signed with.
    private var credentials: Credentials?
    /// Tells apart the attempts that wait for credentials.
    private var signing = 0
    private var hasRenewed = false
    private var refused: [IPAddress] = []
    private var connected = false

    init(
        _ request: OriginRequest, url: OriginURL, priority: Priority, ticket: FetchTicket,
        events: @escaping @Sendable (OriginEvent) -> Void, in engine: FetchEngine
    ) {
        self.request = request
        self.priority = priority
        self.ticket = ticket
        self.events = events
        self.engine = engine
        start = url
        trail = RedirectTrail(from: url, maximum: engine.configuration.maximumRedirects)
        clocks = FetchClocks(engine.loop, engine.configuration)
    }

    var id: ObjectIdentifier { ObjectIdentifier(ticket) }
    var origin: Origin { trail.current.origin }
    private var driver: CurlDriver { request.isSigned ? engine.credentials?.driver ?? engine.driver : engine.driver }

    // MARK: What the engine tells

    /// A place is given: sends the request.
    func begin() {
        settlement = nil
        isAnswered = false
        refused = []
        connected = false
        refusal = nil
        guard request.isSigned else { return send(signature: nil) }
        guard let keeper = engine.credentials, origin.isWithin(keeper.origin) else {
            let detail = "a signed request to another host than the store: \(trail.current.loggable)"
            return settle(.failed(OriginError(.badURL, logDetail: detail)))
        }
        signing += 1
        keeper.credentials { [weak self, signing, region = keeper.store.region] answer in
            guard let self, self.signing == signing else { return }
            switch answer {
            case .success(let credentials):
                self.credentials = credentials
                send(signature: Signature(region: region, credentials: credentials))
            case .failure(let error): settle(.failed(error))
            }
        }
    }

    private func send(signature: Signature?) {
        begun = .now
        guard let transfer = Transfer(transferRequest(signature), client: self) else {
            return settle(.failed(OriginError(.unreachable, logDetail: "no memory for a transfer")))
        }
        stage = .transferring(transfer)
        guard driver.start(transfer) else {
            return settle(.failed(OriginError(.unreachable, logDetail: "curl takes no further transfer")))
        }
        engine.count { $0.attempts += 1 }
        clocks.start(
            headIn: engine.configuration.firstByteTimeout,
            late: { [unowned self] why in giveUp(why) },
            over: { [unowned self] in giveUp("the whole fetch took too long") })
    }

    /// Stops what is under way without a word. The place is the engine's to take back.
    func abandon() {
        clocks.stop()
        signing += 1
        switch stage {
        case .transferring(let transfer): driver.remove(transfer)
        case .resting(let timer): timer.cancel()
        case .waiting, .closed: break
        }
        stage = .waiting
    }

    /// Back in the line, as after `abandon`.
    func wait() {
        stage = .waiting
        trail = RedirectTrail(from: start, maximum: engine.configuration.maximumRedirects)
    }

    /// The last word.
    func close(with event: OriginEvent?) {
        abandon()
        stage = .closed
        guard let event else { return }
        if request.isSigned, case .failed(let error) = event {
            emit(.failed(error.ofStore(patience: engine.configuration.storeSuspension)))
        } else {
            emit(event)
        }
    }

    /// Looks at the ticket whether to pause.
    func steer() {
        guard case .transferring(let transfer) = stage else { return }
        if ticket.isPaused {
            clocks.pause()
        } else {
            clocks.resume()
            driver.resume(transfer)
        }
    }

    // MARK: How an attempt ends

    private func giveUp(_ why: String) {
        guard case .transferring(let transfer) = stage else { return }
        driver.remove(transfer)
        settle(settlement ?? .failed(OriginError(.timedOut, logDetail: "\(why): \(trail.current.loggable)")))
    }

    private func settle(_ settlement: Settlement) {
        clocks.stop()
        stage = .waiting
        if case .failed(let error) = settlement, !isAnswered, error.speaksOfTheOrigin {
            // First the verdict, then the place: a failed probe must not look like an abandoned one.
            engine.failed(origin, error, begun: begun)
        }
        switch settlement {
        case .finished: engine.end(self, with: .finished)
        case .notModified(let head): engine.end(self, with: .notModified(head))
        case .failed(let error): failed(error)
        case .startOver:
            resumption = nil
            retry(after: OriginError(.interrupted, logDetail: "the rest of the body could not be had"), at: .zero)
        case .redirect(let location): follow(location)
        }
    }

    private func failed(_ error: OriginError) {
        var error = error
        error.refusal = refusal
        // What was signed with may have ended, or been changed; what comes next of others is signed with those. That one object
        // may not be had says nothing of that.
        if case .status(let status) = error.reason, status == 401 || refusal?.isOfCredentials == true, !hasRenewed,
            let credentials,
            engine.credentials?.renew(after: credentials) == true
        {
            hasRenewed = true
            engine.release(self)
            engine.enqueue(self)
            return engine.fill()
        }
        retry(after: error)
    }

    private func follow(_ location: String?) {
        engine.release(self)
        do throws(OriginError) {
            try trail.follow(location)
            engine.count { $0.redirects += 1 }
            engine.enqueue(self)
            engine.fill()
        } catch {
            fail(error)
        }
    }

    private func retry(after error: OriginError, at moment: Duration? = nil) {
        let pause = engine.policy.wait(after: error, retries: retries, chance: .random(in: 0...1))
        guard let wait = pause.map({ moment ?? $0 }), !ticket.isCancelled, clocks.spend(wait) else {
            return fail(error)
        }
        engine.release(self)
        lastError = error
        retries += 1
        engine.count { $0.retries += 1 }
        engine.logger.debug("fetch is retried", metadata: ["detail": "\(error.logDetail)", "in": "\(wait)"])
        stage = .resting(
            engine.loop.schedule(after: wait) { [unowned self] in
                self.wait()
                engine.enqueue(self)
            })
        engine.fill()
    }

    private func fail(_ error: OriginError) {
        engine.logger.info("fetch failed", metadata: ["detail": "\(error.logDetail)"])
        engine.end(self, with: .failed(error))
    }

    func emit(_ event: OriginEvent) {
        if !ticket.isCancelled { events(event) }
    }

    // MARK: The request

    private func transferRequest(_ signature: Signature?) -> TransferRequest {
        var fields = signature == nil ? ["Accept: image/*, */*;q=0.8", "Accept-Encoding: identity"] : []
        isRanged = false
        isConditional = false
        if let upload = request.upload {
            fields += ["Content-Type: \(upload.mediaType)"] + upload.fields.map { "\($0): \($1)" }
        } else if let (range, condition) = resumption?.request {
            fields += ["Range: \(range)", "If-Range: \(condition)"]
            isRanged = true
        } else if !hasStarted, let validators = request.revalidate?.sendable {
            fields += validators
            isConditional = true
        }
        return TransferRequest(
            url: trail.current, fields: fields, userAgent: engine.configuration.userAgent,
            method: request.upload?.method.rawValue, upload: request.upload, signature: signature,
            route: engine.configuration.routes["\(trail.current.origin.host):\(trail.current.origin.port)"],
            connectTimeout: engine.configuration.connectTimeout,
            maximumHeaderBytes: engine.configuration.maximumHeaderBytes,
            certificateAuthorities: engine.configuration.certificateAuthorities)
    }
}

// MARK: What the transfer tells

extension FetchJob: TransferClient {
    func mayConnect(to address: IPAddress?) -> Bool {
        guard let address, engine.filter.permits(address) || request.isSigned && AddressFilter.isOfOwnNetwork(address)
        else {
            engine.count { $0.refusedAddresses += 1 }
            if let address { refused.append(address) }
            return false
        }
        connected = true
        engine.count { $0.connections += 1 }
        return true
    }

    func headRefused(_ why: String) {
        settlement = .failed(OriginError(.malformed, logDetail: "\(why): \(trail.current.loggable)"))
    }

    func headArrived(_ head: ResponseHead) -> BodyUse {
        if !isAnswered { engine.answerBegan(origin) }
        isAnswered = true
        // A picture that is refused again when it is asked for alone says nothing of how many are asked for.
        engine.answered(origin, begun: begun, asksForLess: head.asksForLess && retries == 0)
        let use = judge(head)
        switch use {
        case .deliver where refusal != nil:
            clocks.bodyIsDiscarded()
        case .deliver:
            if isRanged, head.status == 206 { engine.count { $0.resumptions += 1 } }
            clocks.bodyBegins(isPaused: ticket.isPaused)
        case .discard, .giveUp:
            clocks.bodyIsDiscarded()
        }
        return use
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        guard !ticket.isCancelled else { return .giveUp }
        if let told = refusal?.body.count {
            refusal?.body += bytes.prefix(FetchJob.longestRefusal - told)
            return told + bytes.count < FetchJob.longestRefusal ? .next : .giveUp
        }
        guard !ticket.isPaused else { return .pause }
        guard let delivered = resumption?.delivered, Int64(bytes.count) <= engine.configuration.maximumBytes - delivered
        else {
            let detail = "more bytes than allowed: \(trail.current.loggable)"
            settlement = .failed(OriginError(.tooLarge, logDetail: detail))
            return .giveUp
        }
        resumption?.deliver(bytes.count)
        clocks.tick(bytes.count)
        engine.count { $0.bytes += Int64(bytes.count) }
        emit(.bytes([UInt8](bytes)))
        return .next
    }

    func transferEnded(_ transfer: Transfer, _ code: CURLcode) {
        guard !ticket.isCancelled else { return engine.end(self, with: nil) }
        settle(settlement ?? conclusion(code))
    }

    private func conclusion(_ code: CURLcode) -> Settlement {
        if code == CURLE_OK {
            guard isAnswered, let resumption else {
                return .failed(OriginError(.malformed, logDetail: "no answer: \(trail.current.loggable)"))
            }
            guard resumption.isWhole else {
                let detail = "\(resumption.delivered) bytes of \(resumption.length ?? -1): \(trail.current.loggable)"
                return .failed(OriginError(.truncated, logDetail: detail))
            }
            return .finished
        }
        if !connected, let address = refused.first, code == CURLE_COULDNT_CONNECT {
            let detail = "\(address) is not to be fetched from: \(trail.current.loggable)"
            return .failed(OriginError(.addressRefused, logDetail: detail))
        }
        return .failed(OriginError(code, at: trail.current))
    }
}

extension OriginError {
    /// Whether it tells of an origin that does not answer, rather than of one picture.
    fileprivate var speaksOfTheOrigin: Bool {
        switch reason {
        case .unresolved, .unreachable, .insecure, .timedOut, .interrupted: true
        default: false
        }
    }
}
