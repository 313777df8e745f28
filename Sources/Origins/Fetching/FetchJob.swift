import Addresses
import CCurl
import EventLoops
import Logging
import Scheduling

/// One fetch through all its attempts and redirects. On the event loop only.
final class FetchJob {
    private enum Stage {
        case waiting
        case transferring(Transfer)
        /// Until the next retry.
        case resting(LoopTimer)
        /// After the prefix of a body, until the caller requests the rest or cancels.
        case parked
        case closed
    }

    /// The outcome of an attempt, once known; the transfer may still be draining an unwanted body.
    enum Settlement {
        case finished
        case notModified(OriginHead)
        case redirect(to: String?, setting: [String])
        case failed(OriginError)
        /// The rest of the body is unavailable: start again from the first byte.
        case startOver
        /// The requested prefix has arrived.
        case prefixComplete
    }

    let request: OriginRequest
    let ticket: FetchTicket
    unowned let engine: FetchEngine
    var priority: Priority
    private let events: @Sendable (OriginEvent) -> Void

    let start: OriginURL
    private(set) var redirects: RedirectChain
    private var stage = Stage.waiting
    private var retries = 0
    private(set) var lastError: OriginError?
    var timeouts: FetchTimeouts

    // State of the body over all attempts.
    var resumption: Resumption?
    var hasStarted = false
    /// Whether the origin has refused to send only the prefix.
    var refusesPrefix = false

    // State of the current attempt.
    var settlement: Settlement?
    /// For a compressed body.
    var decoder: ContentDecoder?
    private(set) var isAnswered = false
    private(set) var isConditional = false
    private(set) var isRanged = false
    /// The length in bytes of the prefix that this attempt requests.
    private(set) var requestedPrefix: Int?
    private(set) var begun = ContinuousClock.now
    var refusal: OriginError.Refusal?
    /// The credentials that a signed request was signed with.
    private var credentials: Credentials?
    /// Distinguishes attempts that wait for credentials.
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
        redirects = RedirectChain(from: url, maximum: engine.configuration.maximumRedirects)
        timeouts = FetchTimeouts(engine.loop, engine.configuration)
    }

    var id: ObjectIdentifier { ObjectIdentifier(ticket) }
    var origin: Origin { redirects.current.origin }
    private var driver: CurlDriver { request.isSigned ? engine.credentials?.driver ?? engine.driver : engine.driver }

    // MARK: Calls from the engine

    /// Sends the request, after the fetch has got a permit.
    func begin() {
        settlement = nil
        decoder = nil
        isAnswered = false
        refused = []
        connected = false
        refusal = nil
        guard request.isSigned else { return send(signature: nil) }
        guard let keeper = engine.credentials, origin.isWithin(keeper.origin) else {
            let detail = "a signed request to another host than the store: \(redirects.current.loggable)"
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
        timeouts.start(
            headIn: engine.configuration.firstByteTimeout,
            late: { [unowned self] why in giveUp(why) },
            over: { [unowned self] in giveUp("the whole fetch took too long") })
    }

    /// Silently stops the current attempt. The engine takes back the permit.
    func abandon() {
        timeouts.stop()
        signing += 1
        switch stage {
        case .transferring(let transfer): driver.remove(transfer)
        case .resting(let timer): timer.cancel()
        case .waiting, .parked, .closed: break
        }
        stage = .waiting
    }

    /// Back to the queue, after `abandon`.
    func wait() {
        stage = .waiting
        redirects = RedirectChain(from: start, maximum: engine.configuration.maximumRedirects)
    }

    /// Reports the final event.
    func close(with event: OriginEvent?) {
        abandon()
        stage = .closed
        guard let event else { return }
        if request.isSigned, case .failed(let error) = event {
            emit(.failed(error.ofStore(suspension: engine.configuration.storeSuspension)))
        } else {
            emit(event)
        }
    }

    /// Pauses or resumes according to the ticket.
    func applyPause() {
        guard case .transferring(let transfer) = stage else { return }
        if ticket.isPaused {
            timeouts.pause()
        } else {
            timeouts.resume()
            driver.resume(transfer)
        }
    }

    /// Fetches the rest, if the fetch is parked.
    func unpark() {
        guard case .parked = stage else { return }
        engine.parked.remove(id)
        // A redirect may lead elsewhere by now.
        wait()
        engine.enqueue(self)
    }

    // MARK: The end of an attempt

    private func giveUp(_ why: String) {
        guard case .transferring(let transfer) = stage else { return }
        driver.remove(transfer)
        settle(settlement ?? .failed(OriginError(.timedOut, logDetail: "\(why): \(redirects.current.loggable)")))
    }

    private func settle(_ settlement: Settlement) {
        timeouts.stop()
        stage = .waiting
        if case .failed(let error) = settlement, !isAnswered, error.isOriginFailure {
            // Record the failure before the permit is returned: a failed probe must not look like an abandoned one.
            engine.failed(origin, error, begun: begun)
        }
        switch settlement {
        case .finished: engine.end(self, with: .finished)
        case .notModified(let head): engine.end(self, with: .notModified(head))
        case .failed(let error): failed(error)
        case .startOver where refusesPrefix && retries == 0:
            engine.release(self)
            wait()
            engine.enqueue(self)
            engine.fill()
        case .startOver:
            resumption = nil
            retry(after: OriginError(.interrupted, logDetail: "the rest of the body could not be fetched"), at: .zero)
        case .redirect(let location, let cookies): follow(location, setting: cookies)
        case .prefixComplete: park()
        }
    }

    private func park() {
        engine.release(self)
        stage = .parked
        let remaining = resumption?.remaining ?? 0
        if ticket.wantsRest || remaining <= Int64(request.prefixLength ?? 0) {
            unpark()
        } else {
            engine.parked.insert(id)
            engine.publish()
            emit(.parked)
        }
        engine.fill()
    }

    private func failed(_ error: OriginError) {
        var error = error
        error.refusal = refusal
        // The credentials may have expired or been replaced, so renew them and try once more. A refusal that concerns
        // only this object does not call for that.
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

    private func follow(_ location: String?, setting cookies: [String]) {
        engine.release(self)
        do throws(OriginError) {
            try redirects.follow(location, setting: cookies)
            engine.count { $0.redirects += 1 }
            engine.enqueue(self)
            engine.fill()
        } catch {
            fail(error)
        }
    }

    private func retry(after error: OriginError, at moment: Duration? = nil) {
        let pause = engine.policy.wait(after: error, retries: retries, chance: .random(in: 0...1))
        guard let wait = pause.map({ moment ?? $0 }), !ticket.isCancelled, timeouts.spend(wait) else {
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
        requestedPrefix = ticket.wantsRest || refusesPrefix || !isPrefixIncomplete ? nil : request.prefixLength
        if let upload = request.upload {
            fields += ["Content-Type: \(upload.mediaType)"] + upload.fields.map { "\($0): \($1)" }
        } else if let requestedPrefix {
            resumption = nil
            fields.append("Range: bytes=0-\(requestedPrefix - 1)")
        } else if let (range, condition) = resumption?.request {
            fields += ["Range: \(range)", "If-Range: \(condition)"]
            isRanged = true
        } else if !hasStarted, let validators = request.revalidate?.sendable {
            fields += validators
            isConditional = true
        }
        if !request.isSigned, request.upload == nil { addHeaders(to: &fields) }
        return TransferRequest(
            url: redirects.current, fields: fields, userAgent: engine.configuration.userAgent,
            method: request.upload?.method.rawValue, upload: request.upload, signature: signature,
            route: engine.configuration.routes["\(redirects.current.origin.host):\(redirects.current.origin.port)"],
            connectTimeout: engine.configuration.connectTimeout,
            maximumHeaderBytes: engine.configuration.maximumHeaderBytes,
            certificateAuthorities: engine.configuration.certificateAuthorities)
    }
}

// MARK: Calls from the transfer

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
        settlement = .failed(OriginError(.malformed, logDetail: "\(why): \(redirects.current.loggable)"))
    }

    func headArrived(_ head: ResponseHead) -> BodyUse {
        if !isAnswered { engine.answerBegan(origin) }
        isAnswered = true
        // An image that is refused again in a retry says nothing about the number of requests.
        engine.answered(origin, begun: begun, isThrottling: head.isThrottling && retries == 0)
        let use = judge(head)
        switch use {
        case .deliver where refusal != nil:
            timeouts.bodyIsDiscarded()
        case .deliver:
            if isRanged, head.status == 206, isAfterInterruption { engine.count { $0.resumptions += 1 } }
            timeouts.bodyBegins(isPaused: ticket.isPaused)
        case .discard, .giveUp:
            timeouts.bodyIsDiscarded()
        }
        return use
    }

    func transferEnded(_ transfer: Transfer, _ code: CURLcode) {
        guard !ticket.isCancelled else { return engine.end(self, with: nil) }
        settle(settlement ?? conclusion(code))
    }

    private func conclusion(_ code: CURLcode) -> Settlement {
        if code == CURLE_OK {
            guard isAnswered, let resumption else {
                return .failed(OriginError(.malformed, logDetail: "no answer: \(redirects.current.loggable)"))
            }
            guard decoder?.isWhole ?? true else {
                let detail = "the end of a compressed body is missing: \(redirects.current.loggable)"
                return .failed(OriginError(.truncated, logDetail: detail))
            }
            guard resumption.isWhole else {
                if resumption.delivered == requestedPrefix.map(Int64.init) { return .prefixComplete }
                let detail =
                    "\(resumption.delivered) bytes of \(resumption.length ?? -1): \(redirects.current.loggable)"
                return .failed(OriginError(.truncated, logDetail: detail))
            }
            return .finished
        }
        if !connected, let address = refused.first, code == CURLE_COULDNT_CONNECT {
            let detail = "\(address) is a forbidden address: \(redirects.current.loggable)"
            return .failed(OriginError(.addressRefused, logDetail: detail))
        }
        return .failed(OriginError(code, at: redirects.current))
    }
}

extension OriginError {
    /// Whether the error means that the origin does not respond, rather than concerning one image.
    fileprivate var isOriginFailure: Bool {
        switch reason {
        case .unresolved, .unreachable, .insecure, .timedOut, .interrupted: true
        default: false
        }
    }
}
