import Clients
import EventLoops
import Glibc
import HTTPTypes

extension Connection {
    /// The most bytes of an unwanted body to discard in order to keep the connection.
    static let discardLimit: Int64 = 1_048_576

    /// How much input to take per iteration, counted in parts of a body. Requests, which cost their handlers work,
    /// and reads count for more.
    static let turn = 256
    private static let partsForRequest = 8
    private static let partsForRead = 64

    /// Whether more of the arriving body may be read.
    var canReadBody: Bool {
        guard let receiving else { return true }
        return receiving.isDiscarded || receiving.body.takesMore
    }

    private var canTakeMore: Bool {
        guard phase == .open, heldBack == nil else { return false }
        guard receiving == nil else { return canReadBody }
        return takesRequests && exchanges.count < shard.configuration.pipelineDepth && !isBlocked
    }

    /// Passes on what has arrived, and reads more while it can be used.
    func takeInput() {
        guard !isYielding else { return }
        while phase != .closed, channel == nil || phase == .lingering {
            if phase == .open {
                takeEvents()
                // Once no more requests are accepted, the socket is read only to notice the client's end.
                guard phase != .closed, canTakeMore || (!takesRequests && receiving == nil && heldBack == nil) else {
                    return
                }
            }
            guard allowance > 0 else { return yield() }
            guard mayRead, !peerHasFinished else { return }
            allowance -= Self.partsForRead
            read()
        }
    }

    private func takeEvents() {
        while canTakeMore, allowance > 0 {
            do throws(RequestError) {
                guard let event = try parser.next() else { break }
                if case .head = event { allowance -= Self.partsForRequest } else { allowance -= 1 }
                take(event)
            } catch {
                if receiving != nil { fail(error) } else { refuse(error) }
            }
        }
        if phase == .open, parser.isInHead {
            if headSince == nil { headSince = shard.now() }
        } else {
            headSince = nil
        }
    }

    /// Reads once.
    func read() {
        let count = recv(socket, shard.readBuffer.baseAddress, shard.readBuffer.count, 0)
        if count > 0 {
            // A short read has emptied the socket, and epoll will report further bytes or the end.
            if count < shard.readBuffer.count, !endIsAnnounced { mayRead = false }
            let bytes = UnsafeRawBufferPointer(rebasing: shard.readBuffer[..<count])
            if phase == .open {
                if let channel {
                    channel.receive(bytes)
                } else if takesRequests || receiving != nil {
                    parser.append(bytes)
                }
            }
        } else if count == 0 {
            finishInput()
        } else if errno == EAGAIN {
            mayRead = false
        } else if errno != EINTR {
            tearDown(.disconnected)
        }
    }

    /// The client has shut down its sending side.
    private func finishInput() {
        peerHasFinished = true
        mayRead = false
        guard phase == .open else {
            tearDown(.disconnected)
            return
        }
        takesRequests = false
        if let receiving {
            closeAfterwards(receiving.number)
            self.receiving = nil
            receiving.body.end(.disconnected)
        }
        if exchanges.isEmpty { tearDown(.disconnected) } else { sendingHasEnded() }
    }

    private func take(_ event: RequestParser.Event) {
        switch event {
        case .head(let head):
            take(head)
        case .body(let bytes):
            guard var receiving else { return }
            receiving.receivedBytes += bytes.count
            receiving.pace.received(bytes.count)
            if receiving.isDiscarded { receiving.discardedBytes += bytes.count }
            self.receiving = receiving
            if receiving.isDiscarded {
                if receiving.discardedBytes > Self.discardLimit { close() }
            } else {
                if let index = index(of: receiving.number) { exchanges[index].awaitsContinue = false }
                if !receiving.body.deliver(bytes) { fail(.noRoomForBody) }
            }
        case .end:
            guard let receiving else { return }
            self.receiving = nil
            receiving.body.end()
            if exchanges.isEmpty { waitsSince = shard.now() }
        }
    }

    private func take(_ received: RequestHead) {
        var head = received
        head.stripBasePath(shard.basePath)
        let number = nextNumber
        nextNumber += 1
        headSince = nil
        takesRequests = head.keepsAlive
        let context = ResponseEncoder.Context(
            isHead: head.method == .head, minorVersion: head.minorVersion, keepsAlive: head.keepsAlive)
        let client = client(of: head)
        let observation = observation(of: received)
        if respondImmediately(head, number: number, context, of: client, observation) { return }
        exchanges.append(
            Exchange(
                number: number, context: context, client: client, observation: observation,
                awaitsContinue: head.expectsContinue))
        let body: RequestBody
        switch head.framing {
        case .none, .length(0): body = .none
        case .length(let length):
            body = RequestBody(
                declaredLength: length, of: client, budget: shard.requestBudget, loop: shard.loop, source: self)
        case .chunked:
            body = RequestBody(
                declaredLength: nil, of: client, budget: shard.requestBudget, loop: shard.loop, source: self)
        }
        if head.requestsWebSocket, body === RequestBody.none { heldBack = number }
        if body !== RequestBody.none { receiving = Receiving(number: number, body: body) }
        let reply = Reply(loop: shard.loop, sink: self, number: number)
        shard.responder.respond(
            to: Request(
                head: head, peer: peer, address: client, isFromProxy: countedClient == nil, loop: shard.loop, body: body
            ),
            reply: reply)
        // Only a response that is still pending needs to learn that the client disconnects.
        if let index = index(of: number), exchanges[index].response == nil, !(isAnswering && index == 0) {
            exchanges[index].owner = ReplyOwner(reply)
        }
    }

    private func client(of head: RequestHead) -> ClientAddress {
        countedClient ?? shard.clients.client(behind: peer, RequestHeaders(head: head))
    }

    func index(of number: UInt64) -> Int? {
        guard let first = exchanges.first, number >= first.number else { return nil }
        let index = Int(number - first.number)
        return index < exchanges.count ? index : nil
    }

    private func closeAfterwards(_ number: UInt64) {
        takesRequests = false
        if let index = index(of: number) { exchanges[index].context.keepsAlive = false }
        if isAnswering, exchanges.first?.number == number { livesOn = false }
    }

    /// The next request is malformed: queues an error response after the pending ones, and closes the connection.
    func refuse(_ error: RequestError) {
        takesRequests = false
        headSince = nil
        exchanges.append(
            Exchange(
                number: nextNumber, context: .init(keepsAlive: false), response: Problem(describing: error).response))
        nextNumber += 1
        process()
    }

    /// The arriving body fails. Its handler gets the error, and the connection closes after the response.
    func fail(_ error: RequestError) {
        guard let receiving else { return }
        self.receiving = nil
        takesRequests = false
        if index(of: receiving.number) != nil {
            closeAfterwards(receiving.number)
            receiving.body.end(error)
        } else {
            close()
        }
    }
}

extension Connection: RequestBody.Source {
    func bodyIsWanted(_ body: RequestBody) {
        guard phase == .open, let receiving, receiving.body === body else { return }
        if let index = index(of: receiving.number), exchanges[index].awaitsContinue {
            exchanges[index].wantsContinue = true
        }
        process()
    }
}
