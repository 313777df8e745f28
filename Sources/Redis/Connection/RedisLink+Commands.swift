import EventLoops

extension RedisLink {
    typealias Outcome = Result<RedisReply, RedisError>

    /// A command under way: answered once, by the server or by its time.
    private final class Command {
        private var answer: ((Outcome) -> Void)?
        /// Told of what comes in the end of a command that ran out of time.
        private var late: ((Outcome) -> Void)?
        var timer: LoopTimer?
        /// Whether it is still answered in its time.
        var isInTime: Bool { answer != nil }

        init(_ answer: @escaping (Outcome) -> Void, late: ((Outcome) -> Void)?) {
            self.answer = answer
            self.late = late
        }

        func runOut() {
            let answer = answer
            self.answer = nil
            timer = nil
            answer?(.failure(.timedOut))
        }

        func end(_ outcome: Outcome) {
            timer?.cancel()
            timer = nil
            let told = answer ?? late
            answer = nil
            late = nil
            told?(outcome)
        }
    }

    /// Sends a command. See ``RedisClient/send(_:within:late:answer:)``.
    func send(
        _ words: [[UInt8]], within time: Duration, late: ((Outcome) -> Void)? = nil,
        answer: @escaping (Outcome) -> Void
    ) {
        guard let connection else { return answer(.failure(.away)) }
        let command = Command(answer, late: late)
        let isSent = connection.send(words) { [weak self] reply in
            defer { self?.tellWhenQuiet() }
            guard let reply else { return command.end(.failure(.closed)) }
            // One that answers too late each time is of no more use than one that hangs.
            if command.isInTime { self?.noteAnswer() }
            if case .error(let text) = reply { return command.end(.failure(.refused(text))) }
            command.end(.success(reply))
        }
        guard isSent else { return answer(.failure(.crowded)) }
        life.sent(at: .now)
        command.timer = loop.schedule(after: time) { [weak self] in
            // Where this process got no time to run, the answer may be there, and only not have been read.
            self?.connection?.takeArrived()
            guard command.isInTime else { return }
            command.runOut()
            self?.timedOut()
        }
    }

    /// Stops once all that was sent is answered, or after so long.
    ///
    /// - Parameter done: Called once, on the loop.
    func stop(within grace: Duration, done: @escaping () -> Void) {
        let end = { [self] in
            whenQuiet = nil
            stop()
            done()
        }
        guard connection?.isOwed == true, grace > .zero else { return end() }
        let timer = loop.schedule(after: grace) { [weak self] in self?.whenQuiet?() }
        whenQuiet = {
            timer.cancel()
            end()
        }
    }

    /// A server that hangs while nobody asks it for anything, or a connection of which the other end is gone without a
    /// word, is found out by this.
    func beat() {
        heartbeat = loop.schedule(after: configuration.heartbeatPause) { [weak self] in
            guard let self else { return }
            send([Array("PING".utf8)], within: configuration.heartbeatTime) { [weak self] outcome in
                // So much waits already that nothing is sent any more, and no time of it will run out.
                if case .failure(.crowded) = outcome { self?.timedOut() }
            }
            if life.isConnected { beat() }
        }
    }

    private func noteAnswer() {
        life.answered(at: .now, isOwed: connection?.isOwed ?? false)
    }

    private func tellWhenQuiet() {
        if connection?.isOwed != true { whenQuiet?() }
    }
}
