import CLinux
import EventLoops
import Glibc
import HTTPTypes
import Logging

extension Connection: Reply.Sink {
    func take(_ response: Response, number: UInt64) {
        guard phase == .open, let index = index(of: number), exchanges[index].response == nil,
            !(isAnswering && index == 0)
        else {
            response.letGo(.disconnected)
            return
        }
        exchanges[index].response = response
        exchanges[index].owner = nil
        // The client gets no WebSocket: what it sends is HTTP as before.
        if heldBack == number, response.upgrade == nil { heldBack = nil }
        flush()
        holdAnswer(to: number)
        if !isProcessing { process() }
    }

    func wasDropped(number: UInt64) {
        take(Problem(.internalServerError).response, number: number)
    }
}

extension Connection {
    /// Bytes of a stream that are pulled at a time, so that what is cancelled has at most this much on its way.
    private static let streamFrame = 16_384
    private static let fileFrame = 65_536
    /// Bytes of one connection after which the others of the loop have their turn.
    private static let bytesInTurn = 1_048_576

    /// Writes answers, in order, as far as they are there and the socket takes them.
    func flush() {
        guard !isFlushing, channel == nil else { return }
        isFlushing = true
        defer { isFlushing = false }
        var budget = Self.bytesInTurn
        while phase == .open, !isBlocked {
            if !output.isEmpty {
                budget -= output.second.count
                writeOutput()
            } else if isAnswering {
                guard budget > 0 else {
                    return yield()
                }
                guard continueAnswer() else { return }
            } else if !beginAnswer() {
                return
            }
        }
    }

    /// Hands what is in `output` to the kernel, as far as it takes it.
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
            holdPresentAnswer()
        case .failed:
            tearDown(.disconnected)
        }
    }

    /// Takes the answer of the first exchange on. False if there is none yet.
    private func beginAnswer() -> Bool {
        guard let first = exchanges.first else { return false }
        guard let given = first.response else {
            let asksToGoOn = first.wantsContinue && first.awaitsContinue
            guard asksToGoOn || (mustAskForClient && first.context.minorVersion > 0) else { return false }
            mustAskForClient = false
            exchanges[0].awaitsContinue = false
            output.first.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            return true
        }
        // Before the answer is asked anything: what it asks may come back here.
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
            response.letGo(.aborted)
            exchanges[0].response = Problem(.internalServerError).response
            isAnswering = false
            return true
        }
        livesOn = plan.keepsAlive
        beginBody(response.body, plan.framing)
        return true
    }

    /// The answer itself, or the one that is to be sent in its place by now.
    private func reconsidered(_ response: Response) -> Response {
        guard let instead = response.instead?() else { return response }
        forgetHeld(at: 0)
        response.letGo(.aborted)
        if instead.upgrade == nil { heldBack = nil }
        return instead
    }

    /// Whether, after the answer to `exchange`, there may be another request.
    private func takesMore(after exchange: Exchange) -> Bool {
        // Requests that have been taken already are answered; only the last of them says that it is the last.
        if exchanges.count > 1 { return true }
        guard !shard.isStopping, !peerHasFinished else { return false }
        // A client that was never told to go on with its body may or may not send it: nobody can tell.
        guard let receiving, receiving.number == exchange.number else { return takesRequests }
        // A long rest of a body is not worth its reading; of one in chunks nobody knows how long it is.
        let rest = (receiving.body.declaredLength ?? shard.limits.body) - Int64(receiving.receivedBytes)
        return takesRequests && !exchange.awaitsContinue && rest <= Self.discardLimit
    }

    private func beginBody(_ body: ResponseBody, _ framing: ResponseEncoder.Framing) {
        let stream: any BodyStream
        switch body {
        case .empty: return
        case .bytes(let bytes):
            if framing != .none { output.second = bytes }
            return
        case .file(let region):
            guard framing != .none else { return }
            stream = FileStream(region, queues: shard.diskQueues)
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
        let isFile = stream is FileStream
        sending = Sending(
            stream: stream, remaining: remaining, isChunked: framing == .chunked,
            frame: isFile ? Self.fileFrame : Self.streamFrame)
    }

    /// Goes on with the answer that is being written, of which nothing waits in `output`. False if there is nothing to
    /// do for now.
    private func continueAnswer() -> Bool {
        guard let sending else {
            finishAnswer()
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
        // The stream may have closed the connection by what it did.
        guard phase == .open, self.sending?.pulls == pull else { return }
        switch result {
        case .pending: self.sending?.waitsSince = shard.now()
        case .aborted: tearDown(.aborted, resets: true)
        case .bytes(let bytes): send(bytes)
        case .finished:
            guard sending.remaining == nil else {
                shard.logger.error("a body was shorter than its declared length")
                tearDown(.aborted, resets: true)
                return
            }
            self.sending?.remaining = 0
            self.sending?.isWaiting = false
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
        sending.remaining = sending.remaining.map { $0 - Int64(bytes.count) }
        if sending.isChunked {
            ResponseEncoder.appendChunkSize(bytes.count, to: &output.first)
            output.third = Self.lineEnd
        }
        output.second = bytes
        self.sending = sending
    }

    private static let lineEnd: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]

    private func streamWoke(pull: UInt64) {
        guard phase == .open, let sending, sending.isWaiting, sending.pulls == pull else { return }
        self.sending?.isWaiting = false
        process()
    }

    /// Whether the socket takes bytes now; if not, waits until it does.
    func awaitWritable() -> Bool {
        if isWritable { return true }
        isBlocked = true
        stalledSince = shard.now()
        holdPresentAnswer()
        return false
    }

    /// Whether the socket would take bytes now. Asked before each pull, since what is pulled can no longer be cancelled.
    /// The question itself makes the kernel report when the answer changes.
    private var isWritable: Bool {
        var query = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&query, 1, 0) > 0
    }

    private func finishStream(_ sending: Sending) {
        self.sending = nil
        sending.stream.ended(.complete)
        guard phase == .open else { return }
        finishAnswer()
    }

    private func finishAnswer() {
        isAnswering = false
        let exchange = exchanges.removeFirst()
        giveBack(exchange)
        waitsSince = shard.now()
        if receiving?.number == exchange.number {
            // Nobody reads the rest of the body. Nobody waits for it either.
            receiving?.isDiscarded = true
            receiving?.body.end(.disconnected)
        }
        if !livesOn || (exchanges.isEmpty && peerHasFinished) { close() }
    }
}
