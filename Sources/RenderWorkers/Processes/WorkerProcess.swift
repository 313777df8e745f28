import CLinux
import EventLoops
import Glibc
import Renditions
import Sandbox

/// A worker in a separate process: the packets to and from it, its error output, and its end. Used on the loop only.
final class WorkerProcess: RenderWorker, EventHandler {
    /// Bytes of a worker's error output to keep for the log.
    private static let keptComplaints = 1_500
    /// The size of a packet with its header.
    private static let bufferLength = WorkerMessage.packetLength + 1_024
    /// Packets to read before other events of the loop get their turn.
    private static let packetsPerTurn = 64
    /// The maximum number of packets that a socket's buffer holds, for small packets.
    private static let packetsHeld = 1_024

    private let loop: EventLoop
    private let threadLimit: Int
    private var onEvent: ((WorkerEvent) -> Void)?
    private var spawned: SpawnedProcess?
    /// Nil before it is ready, and if the kernel does not limit its threads.
    private var threads: ThreadSupervisor?
    private var isReady = false
    private var assembly = ResponseAssembler()
    private var buffer = [UInt8](repeating: 0, count: bufferLength)
    private var isKilled = false
    /// When the current job began: the time, and the processor time that the process had used by then.
    private var begun = (time: Duration.zero, used: Duration.zero)
    /// The processor time used at the last check for progress.
    private var usedAtLastCheck = Duration.zero
    private var ignoresMessages = false
    /// Why the pool ended it, if it violated the protocol.
    private var breach: String?

    init(threadLimit: Int, on loop: EventLoop, onEvent: @escaping (WorkerEvent) -> Void) {
        self.threadLimit = threadLimit
        self.loop = loop
        self.onEvent = onEvent
    }

    /// The process was started, or failed to start.
    func take(_ result: Result<SpawnedProcess, SpawnFailure>) {
        do {
            let spawned = try result.get()
            self.spawned = spawned
            try loop.watch(spawned.channel, for: .read, handler: self)
            try loop.watch(spawned.pidfd, for: .read, handler: self)
            if isKilled { kill() }
        } catch {
            // The loop cannot watch it, so nobody would learn of its end.
            if let spawned {
                clinux_pidfd_kill(spawned.pidfd, SIGKILL)
                Self.reap(fcntl(spawned.pidfd, F_DUPFD_CLOEXEC, 0), on: loop)
            }
            end("\(error)", wasKilled: false)
        }
    }

    /// Collects the exit status of a killed process that the loop does not watch, and closes the descriptor.
    private static func reap(_ pidfd: Int32, on loop: EventLoop) {
        guard pidfd >= 0 else { return }
        var status: Int32 = 0
        guard clinux_pidfd_reap(pidfd, &status) == 0 else {
            close(pidfd)
            return
        }
        loop.schedule(after: .milliseconds(100)) { reap(pidfd, on: loop) }
    }

    // MARK: - From the pool

    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool) {
        guard let spawned else { return }
        guard job.descriptors.allSatisfy({ fcntl($0, F_GETFL) & O_ACCMODE == O_RDONLY }) else {
            return emitLater(
                .ended(
                    .failure(
                        RenderError(
                            .failed, "The picture could not be rendered.",
                            logDetail: "its descriptor can be written to")), memory: 0))
        }
        _ = readComplaints(spawned)
        begun = (.read(CLOCK_MONOTONIC), processorTime(spawned))
        usedAtLastCheck = begun.used
        assembly.expect(job.work, job: id, mayBeHeavy: mayBeHeavy)
        let packet = PoolMessage.job(JobMessage(job: id, work: job.work, mayBeHeavy: mayBeHeavy)).bytes
        let descriptors = job.descriptors + (job.output.map { [$0] } ?? [])
        let sent = clinux_send_packet(
            spawned.channel, packet, packet.count, descriptors, descriptors.count)
        guard sent == packet.count else {
            return breaks("it takes no job: \(String(cString: strerror(errno)))")
        }
    }

    func stop(_ job: UInt64) {
        guard let spawned else { return }
        let packet = PoolMessage.stop(job).bytes
        _ = clinux_send_packet(spawned.channel, packet, packet.count, nil, 0)
    }

    var wasStarved: Bool {
        guard let spawned else { return false }
        return (processorTime(spawned) - begun.used) * 2 < .read(CLOCK_MONOTONIC) - begun.time
    }

    func hasAdvanced() -> Bool {
        guard let spawned else { return false }
        let used = processorTime(spawned)
        defer { usedAtLastCheck = used }
        return used - usedAtLastCheck >= .milliseconds(1)
    }

    var isUninterruptible: Bool {
        // Without a process, its start is what hangs.
        guard let spawned else { return true }
        return ProcessState.isUninterruptible(spawned.number)
    }

    /// The processor time of all its threads.
    private func processorTime(_ spawned: SpawnedProcess) -> Duration {
        var clock = clockid_t()
        return clock_getcpuclockid(spawned.number, &clock) == 0 ? .read(clock) : .zero
    }

    func kill() {
        isKilled = true
        guard let spawned else { return }
        usedAtLastCheck = processorTime(spawned)
        clinux_pidfd_kill(spawned.pidfd, SIGKILL)
    }

    // MARK: - From the process

    func descriptorIsReady(_ events: Readiness) {
        guard let spawned else { return }
        receive(spawned, upTo: Self.packetsPerTurn)
        var status: Int32 = 0
        switch clinux_pidfd_reap(spawned.pidfd, &status) {
        case 0: break
        case 1:
            // Read what it sent before it ended, which is at most what its socket holds.
            receive(spawned, upTo: Self.packetsHeld)
            end(describe(status, spawned), wasKilled: status == -SIGKILL)
        default: end("waitid: \(String(cString: strerror(errno)))", wasKilled: false)
        }
    }

    /// Reads a limited number of packets; the loop calls again after other events.
    private func receive(_ spawned: SpawnedProcess, upTo limit: Int) {
        for _ in 0..<limit where !ignoresMessages && onEvent != nil {
            let (count, descriptors) = receivePacket(spawned.channel)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            if count < 0 { return breaks("recvmsg: \(String(cString: strerror(errno)))") }
            // A worker that closed the channel, or sends nothing valid, can do nothing more.
            if count == 0 { return breaks(nil) }
            do throws(MessageError) {
                let event = try assembly.take(buffer[..<count])
                if case .ready(let confinement, _) = event {
                    guard supervise(confinement, descriptors) else { return breaks("its threads cannot be limited") }
                }
                if let event { emit(event) }
            } catch {
                descriptors.forEach { close($0) }
                return breaks("its message breaks the rules: \(error)")
            }
        }
    }

    /// Receives descriptors only with the first packet, which a worker sends before it has seen a picture. Later, one
    /// that comes with a packet is an error.
    private func receivePacket(_ channel: Int32) -> (count: Int, descriptors: [Int32]) {
        guard !isReady else {
            return (clinux_receive_packet(channel, &buffer, buffer.count, Int32(MSG_DONTWAIT), nil, nil), [])
        }
        var descriptors = [Int32](repeating: -1, count: Int(CLINUX_MOST_DESCRIPTORS))
        var number = 0
        let count = clinux_receive_packet(
            channel, &buffer, buffer.count, Int32(MSG_DONTWAIT), &descriptors, &number)
        return (count, Array(descriptors[..<number]))
    }

    /// Takes over the descriptors that came with the worker's first message.
    private func supervise(_ confinement: WorkerMessage.Confinement, _ descriptors: [Int32]) -> Bool {
        isReady = true
        guard confinement.threads else {
            descriptors.forEach { close($0) }
            return descriptors.isEmpty
        }
        guard let requests = Sandbox.ThreadRequests(descriptors: descriptors) else {
            descriptors.forEach { close($0) }
            return false
        }
        threads = try? ThreadSupervisor(requests, limit: threadLimit, on: loop) { [weak self] in self?.breaks($0) }
        return threads != nil
    }

    private func emit(_ event: ResponseAssembler.Event) {
        switch event {
        case .ready(let confinement, let lacksAVIF): onEvent?(.ready(confinement, lacksAVIF: lacksAVIF))
        case .ended(_, let result, let memory): onEvent?(.ended(result, memory: memory))
        case .heavy: onEvent?(.heavy)
        case .refusedMemory(let count): onEvent?(.refusedMemory(count))
        }
    }

    private func emitLater(_ event: WorkerEvent) {
        // Invariant: touched on the loop only.
        nonisolated(unsafe) let process = self
        loop.execute { process.onEvent?(event) }
    }

    /// Stops reading from the worker. Its end is reported when the kernel reports it.
    private func breaks(_ why: String?) {
        guard let spawned, !ignoresMessages else { return }
        ignoresMessages = true
        breach = why
        loop.unwatch(spawned.channel)
        clinux_pidfd_kill(spawned.pidfd, SIGKILL)
    }

    private func end(_ how: String, wasKilled: Bool) {
        if let spawned {
            for descriptor in [spawned.channel, spawned.pidfd] { loop.unwatch(descriptor) }
            for descriptor in [spawned.channel, spawned.pidfd, spawned.errors] { close(descriptor) }
        }
        threads?.end()
        threads = nil
        spawned = nil
        let last = onEvent
        onEvent = nil
        last?(.gone(how, byOthers: wasKilled && !isKilled && breach == nil))
    }

    private func describe(_ status: Int32, _ spawned: SpawnedProcess) -> String {
        var parts = [status < 0 ? "signal \(-status)" : "exit \(status)"]
        if let breach { parts.append(breach) }
        let complaints = readComplaints(spawned)
        if !complaints.isEmpty { parts.append(complaints) }
        return parts.joined(separator: "; ")
    }

    /// Reads the first lines of the error output, in printable form, and discards the rest.
    private func readComplaints(_ spawned: SpawnedProcess) -> String {
        var first: [UInt8] = []
        for _ in 0..<4 {
            let count = read(spawned.errors, &buffer, buffer.count)
            guard count > 0 else { break }
            first += buffer[..<count].prefix(Self.keptComplaints - first.count)
        }
        let text = String(decoding: first, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " | ")
        return String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
