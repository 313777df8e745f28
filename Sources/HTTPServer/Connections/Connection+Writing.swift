import CLinux
import EventLoops
import Glibc
import HTTPTypes
import Logging

extension Connection: Reply.Sink {
    func matched(_ route: String, number: UInt64) {
        if let index = index(of: number) { exchanges[index].observation.route = route }
    }

    func take(_ response: Response, number: UInt64) {
        guard phase == .open, let index = index(of: number), exchanges[index].response == nil,
            !(isAnswering && index == 0)
        else {
            response.abandon(.disconnected)
            return
        }
        exchanges[index].response = response
        exchanges[index].owner = nil
        // The client gets no WebSocket, so what it sends next is still HTTP.
        if heldBack == number, response.upgrade == nil { heldBack = nil }
        flush()
        holdResponse(to: number)
        if !isProcessing { process() }
    }

    func wasDropped(number: UInt64) {
        take(Problem(.internalServerError).response, number: number)
    }
}

extension Connection {
    /// The most bytes to pull from a stream at a time, so that no more than this is on its way when it is cancelled.
    private static let streamFrame = 16_384
    private static let fileFrame = 65_536
    /// The most bytes to write per iteration before the loop's other connections get a chance.
    private static let bytesPerTurn = 1_048_576

    /// Writes responses in order, as far as they are available and the socket accepts them.
    func flush() {
        guard !isFlushing, channel == nil else { return }
        isFlushing = true
        defer { isFlushing = false }
        var budget = Self.bytesPerTurn
        while phase == .open, !isBlocked {
            if !output.isEmpty, sending?.holdsHead != true {
                budget -= output.second.count
                writeOutput()
            } else if isAnswering {
                guard budget > 0 else {
                    return yield()
                }
                guard continueResponse() else { return }
            } else if !beginResponse() {
                return
            }
        }
    }

    /// Passes `output` to the kernel as far as it accepts it.
    func writeOutput() {
        settle(output.write(to: socket))
    }

    func settle(_ outcome: OutputQueue.Outcome) {
        switch outcome {
        case .complete:
            output.clear()
            stalledSince = nil
        case .blocked:
            if output.hasProgressed || stalledSince == nil { stalledSince = shard.now() }
            isBlocked = true
            holdCurrentResponse()
        case .failed:
            tearDown(.disconnected)
        }
    }

    /// Starts to write the first exchange's response. Returns false if there is none yet.
    private func beginResponse() -> Bool {
        guard let first = exchanges.first else { return false }
        guard let given = first.response else {
            let asksToGoOn = first.wantsContinue && first.awaitsContinue
            guard asksToGoOn || (mustAskForClient && first.context.minorVersion > 0) else { return false }
            mustAskForClient = false
            exchanges[0].awaitsContinue = false
            output.first.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            return true
        }
        // Cleared before the response's closure is called, because that may re-enter this method.
        exchanges[0].response = nil
        isAnswering = true
        let response = reconsidered(given)
        guard phase == .open else { return false }
        if let upgrade = response.upgrade, heldBack == first.number {
            beginWebSocket(response, upgrade)
            return channel == nil
        }
        var context = first.context
        context.keepsAlive = context.keepsAlive && takesMore(after: first)
        let plan: ResponseEncoder.Plan
        do throws(ResponseError) {
            plan = try shard.encoder.encode(response, for: context, to: &output.first)
        } catch {
            shard.logger.error("a response could not be sent: \(error)")
            heldBack = nil
            forgetHeld(at: 0)
            response.abandon(.aborted)
            exchanges[0].response = Problem(.internalServerError).response
            isAnswering = false
            return true
        }
        livesOn = plan.keepsAlive
        noteResponse(response.status)
        beginBody(response.body, plan.framing)
        return true
    }

    /// The response, or the one that replaces it at its own request.
    private func reconsidered(_ response: Response) -> Response {
        guard let instead = response.instead?() else { return response }
        forgetHeld(at: 0)
        response.abandon(.aborted)
        if instead.upgrade == nil { heldBack = nil }
        return instead
    }

    /// Whether another request may follow the response to `exchange`.
    private func takesMore(after exchange: Exchange) -> Bool {
        // Requests that have already been read are answered; only the last response announces the close.
        if exchanges.count > 1 { return true }
        guard !shard.isStopping, !peerHasFinished else { return false }
        // A client that was never told to continue may or may not send its body: the server can't know.
        guard let receiving, receiving.number == exchange.number else { return takesRequests }
        // Reading the remainder of a long body isn't worthwhile, and the length of a chunked one is unknown.
        let rest = (receiving.body.declaredLength ?? shard.limits.body) - Int64(receiving.receivedBytes)
        return takesRequests && !exchange.awaitsContinue && rest <= Self.discardLimit
    }

    private func beginBody(_ body: ResponseBody, _ framing: ResponseEncoder.Framing) {
        let stream: any BodyStream
        switch body {
        case .empty: return
        case .bytes(let bytes):
            guard framing != .none else { return }
            output.second = bytes
            exchanges[0].observation.bodyBytes = Int64(bytes.count)
            return
        case .file(let region):
            guard framing != .none else { return }
            stream = FileStream(region)
        case .stream(let given, _): stream = given
        }
        let remaining: Int64?
        switch framing {
        case .none:
            stream.ended(.complete)
            return
        case .length(let length): remaining = length
        case .chunked, .untilClose: remaining = nil
        }
        sending = Sending(
            stream: stream, remaining: remaining, isChunked: framing == .chunked,
            frame: stream is FileStream ? Self.fileFrame : Self.streamFrame,
            holdsHead: stream.readsFile && remaining != 0)
    }

    /// Continues the current response, of which nothing is left in `output`. Returns false if there is nothing to do
    /// for now.
    private func continueResponse() -> Bool {
        guard let sending else {
            finishResponse()
            return true
        }
        guard !sending.isWaiting else { return false }
        guard sending.remaining != 0 else {
            finishStream(sending)
            return true
        }
        guard awaitWritable() else { return false }
        pull()
        return true
    }

    private func pull() {
        guard var sending else { return }
        sending.pulls += 1
        sending.isWaiting = true
        self.sending = sending
        let limit = Int(min(Int64(sending.frame), sending.remaining ?? .max))
        let pull = sending.pulls
        let result = sending.stream.pull(upTo: limit) { [self, loop = shard.loop] in
            loop.execute { self.streamWoke(pull: pull) }
        }
        // The stream may have closed the connection.
        guard phase == .open, self.sending?.pulls == pull else { return }
        switch result {
        case .pending: self.sending?.waitsSince = shard.now()
        case .aborted: tearDown(.aborted, resets: true)
        case .timedOut: timedOut()
        case .bytes(let bytes): send(bytes)
        case .finished:
            guard sending.remaining == nil else {
                shard.logger.error("a body was shorter than its declared length")
                tearDown(.aborted, resets: true)
                return
            }
            self.sending?.remaining = 0
            self.sending?.isWaiting = false
            self.sending?.holdsHead = false
            if sending.isChunked { output.first.append(contentsOf: "0\r\n\r\n".utf8) }
        }
    }

    private func send(_ bytes: [UInt8]) {
        guard var sending, !bytes.isEmpty, sending.remaining.map({ Int64(bytes.count) <= $0 }) ?? true else {
            shard.logger.error("a body gave no bytes, or more than its declared length")
            tearDown(.aborted, resets: true)
            return
        }
        sending.isWaiting = false
        sending.holdsHead = false
        sending.remaining = sending.remaining.map { $0 - Int64(bytes.count) }
        if sending.isChunked {
            ResponseEncoder.appendChunkSize(bytes.count, to: &output.first)
            output.third = Self.lineEnd
        }
        output.second = bytes
        exchanges[0].observation.bodyBytes += Int64(bytes.count)
        self.sending = sending
    }

    /// The disk that the body is on does not answer.
    private func timedOut() {
        shard.logger.warning("A file could not be read in time.")
        guard let sending, sending.holdsHead else { return tearDown(.aborted, resets: true) }
        self.sending = nil
        output.clear()
        sending.stream.ended(.aborted)
        guard phase == .open else { return }
        forgetHeld(at: 0)
        exchanges[0].response = Self.diskTimeout.response
        isAnswering = false
    }

    private static let diskTimeout = Problem(
        .gatewayTimeout, detail: "The disk that holds this file does not answer.", headers: [.retryAfter: "10"])

    private static let lineEnd: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]

    private func streamWoke(pull: UInt64) {
        guard phase == .open, let sending, sending.isWaiting, sending.pulls == pull else { return }
        self.sending?.isWaiting = false
        process()
    }

    /// Whether the socket is writable; if not, waits until it is.
    func awaitWritable() -> Bool {
        if isWritable { return true }
        isBlocked = true
        stalledSince = shard.now()
        holdCurrentResponse()
        return false
    }

    /// Whether the socket is writable. Checked before each pull, since bytes that have been pulled can no longer be
    /// cancelled. The check itself makes the kernel report when the socket becomes writable.
    private var isWritable: Bool {
        var query = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&query, 1, 0) > 0
    }

    private func finishStream(_ sending: Sending) {
        self.sending = nil
        sending.stream.ended(.complete)
        guard phase == .open else { return }
        finishResponse()
    }

    private func finishResponse() {
        isAnswering = false
        let exchange = exchanges.removeFirst()
        giveBack(exchange)
        record(exchange, isComplete: true)
        waitsSince = shard.now()
        if receiving?.number == exchange.number {
            // Nobody reads the rest of the body or waits for it.
            receiving?.isDiscarded = true
            receiving?.body.end(.disconnected)
        }
        if !livesOn || (exchanges.isEmpty && peerHasFinished) { close() }
    }
}
