import EventLoops

extension RedisLink {
    typealias Outcome = Result<RedisReply, RedisError>

    /// A command in progress. It is completed exactly once, by the server or by its timeout.
    private final class Command {
        private var answer: ((Outcome) -> Void)?
        /// Called with the final outcome of a command that has timed out.
        private var late: ((Outcome) -> Void)?
        var timer: LoopTimer?
        /// Whether it has not timed out.
        var isInTime: Bool { answer != nil }

        init(_ answer: @escaping (Outcome) -> Void, late: ((Outcome) -> Void)?) {
            self.answer = answer
            self.late = late
        }

        func timeOut() {
            let answer = answer
            self.answer = nil
            timer = nil
            answer?(.failure(.timedOut))
        }

        func end(_ outcome: Outcome) {
            timer?.cancel()
            timer = nil
            let completion = answer ?? late
            answer = nil
            late = nil
            completion?(outcome)
        }
    }

    /// Sends a command. See ``RedisClient/send(_:within:late:answer:)``.
    func send(
        _ words: [[UInt8]], within time: Duration, late: ((Outcome) -> Void)? = nil,
        answer: @escaping (Outcome) -> Void
    ) {
        guard let connection else { return answer(.failure(.disconnected)) }
        let command = Command(answer, late: late)
        let isSent = connection.send(words) { [weak self] reply in
            defer { self?.notifyIfQuiet() }
            guard let reply else { return command.end(.failure(.closed)) }
            // A server whose replies are always late is as useless as one that hangs.
            if command.isInTime { self?.noteAnswer() }
            if case .error(let text) = reply {
                self?.onRefusal?(text)
                return command.end(.failure(.refused(text)))
            }
            command.end(.success(reply))
        }
        guard isSent else { return answer(.failure(.overloaded)) }
        life.sent(at: .now)
        command.timer = loop.schedule(after: time) { [weak self] in
            // If this process was not scheduled for a while, the reply may have arrived without having been read.
            self?.connection?.takeArrived()
            guard command.isInTime else { return }
            command.timeOut()
            self?.timedOut()
        }
    }

    /// Stops as soon as all commands have been answered, or after this time.
    ///
    /// - Parameter done: Called once, on the event loop.
    func stop(within grace: Duration, done: @escaping () -> Void) {
        let end = { [self] in
            onQuiet = nil
            stop()
            done()
        }
        guard connection?.isOwed == true, grace > .zero else { return end() }
        let timer = loop.schedule(after: grace) { [weak self] in self?.onQuiet?() }
        onQuiet = {
            timer.cancel()
            end()
        }
    }

    /// Schedules health checks, which detect a server that hangs while no commands are sent, and a peer that
    /// disappeared silently.
    func beat() {
        heartbeat = loop.schedule(after: configuration.heartbeatPause) { [weak self] in
            guard let self else { return }
            send([Array("PING".utf8)], within: configuration.heartbeatTime) { [weak self] outcome in
                // The queue is full, so no command is sent that could time out.
                if case .failure(.overloaded) = outcome { self?.timedOut() }
            }
            if life.isConnected { beat() }
        }
    }

    private func noteAnswer() {
        life.answered(at: .now, isOwed: connection?.isOwed ?? false)
    }

    private func notifyIfQuiet() {
        if connection?.isOwed != true { onQuiet?() }
    }
}
