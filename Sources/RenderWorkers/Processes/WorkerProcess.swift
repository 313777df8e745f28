import CLinux
import EventLoops
import Glibc
import Renditions

/// A worker in a process of its own: packets to and fro, what it wrote as it died, and its end. On the loop only.
final class WorkerProcess: RenderWorker, EventHandler {
    /// Bytes of what a worker complained of that are kept for the log.
    private static let keptComplaints = 1_500
    /// A packet and the few bytes around it.
    private static let bufferLength = WorkerMessage.packetLength + 1_024
    /// Packets that are read before others have their turn.
    private static let packetsInTurn = 64
    /// Packets that a socket's buffer holds at most, small ones.
    private static let packetsHeld = 1_024

    private let loop: EventLoop
    private var tell: ((WorkerEvent) -> Void)?
    private var spawned: SpawnedProcess?
    private var assembly = AnswerAssembly()
    private var buffer = [UInt8](repeating: 0, count: bufferLength)
    private var isKilled = false
    /// When the job under way began, by the clock and by what the process had used of the processor.
    private var begun = (time: Duration.zero, used: Duration.zero)
    private var isDeaf = false
    /// Why it was ended here, if it broke the rules.
    private var breach: String?

    init(on loop: EventLoop, tell: @escaping (WorkerEvent) -> Void) {
        self.loop = loop
        self.tell = tell
    }

    /// The process is there, or could not be started.
    func take(_ result: Result<SpawnedProcess, SpawnFailure>) {
        do {
            let spawned = try result.get()
            self.spawned = spawned
            try loop.watch(spawned.channel, for: .read, handler: self)
            try loop.watch(spawned.pidfd, for: .read, handler: self)
            if isKilled { kill() }
        } catch {
            // Without its descriptors it ends by itself; the kernel does so too when the starting thread ends.
            if let spawned { clinux_pidfd_kill(spawned.pidfd, SIGKILL) }
            end("\(error)", wasKilled: false)
        }
    }

    // MARK: - From the pool

    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool) {
        guard let spawned else { return }
        guard job.descriptors.allSatisfy({ fcntl($0, F_GETFL) & O_ACCMODE == O_RDONLY }) else {
            return tellSoon(
                .ended(
                    .failure(
                        RenderError(
                            .failed, "The picture could not be rendered.",
                            logDetail: "its descriptor can be written to")), memory: 0))
        }
        _ = readComplaints(spawned)
        begun = (.read(CLOCK_MONOTONIC), processorTime(spawned))
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

    /// Of all its threads.
    private func processorTime(_ spawned: SpawnedProcess) -> Duration {
        var clock = clockid_t()
        return clock_getcpuclockid(spawned.number, &clock) == 0 ? .read(clock) : .zero
    }

    func kill() {
        isKilled = true
        if let spawned { clinux_pidfd_kill(spawned.pidfd, SIGKILL) }
    }

    // MARK: - From the process

    func descriptorIsReady(_ events: Readiness) {
        guard let spawned else { return }
        receive(spawned, upTo: Self.packetsInTurn)
        var status: Int32 = 0
        switch clinux_pidfd_reap(spawned.pidfd, &status) {
        case 0: break
        case 1:
            // What it said before it ended, it said: no more than its socket holds.
            receive(spawned, upTo: Self.packetsHeld)
            end(describe(status, spawned), wasKilled: status == -SIGKILL)
        default: end("waitid: \(String(cString: strerror(errno)))", wasKilled: false)
        }
    }

    /// Reads some packets; the loop comes back for more when others have had their turn.
    private func receive(_ spawned: SpawnedProcess, upTo limit: Int) {
        for _ in 0..<limit where !isDeaf && tell != nil {
            // Its descriptors are of no interest: one beside a packet is an error.
            let count = clinux_receive_packet(spawned.channel, &buffer, buffer.count, Int32(MSG_DONTWAIT), nil, nil)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            if count < 0 { return breaks("recvmsg: \(String(cString: strerror(errno)))") }
            // Whoever let go of the channel, or says nothing, can do nothing more.
            if count == 0 { return breaks(nil) }
            do throws(MessageError) {
                if let event = try assembly.take(buffer[..<count]) { tellOf(event) }
            } catch {
                return breaks("its message breaks the rules: \(error)")
            }
        }
    }

    private func tellOf(_ event: AnswerAssembly.Event) {
        switch event {
        case .ready(let confinement): tell?(.ready(confinement))
        case .ended(_, let result, let memory): tell?(.ended(result, memory: memory))
        case .heavy: tell?(.heavy)
        case .refusedMemory(let count): tell?(.refusedMemory(count))
        }
    }

    private func tellSoon(_ event: WorkerEvent) {
        // Invariant: touched on the loop alone.
        nonisolated(unsafe) let process = self
        loop.execute { process.tell?(event) }
    }

    /// It is not listened to any longer. Its end is told when the kernel has told of it.
    private func breaks(_ why: String?) {
        guard let spawned, !isDeaf else { return }
        isDeaf = true
        breach = why
        loop.unwatch(spawned.channel)
        clinux_pidfd_kill(spawned.pidfd, SIGKILL)
    }

    private func end(_ how: String, wasKilled: Bool) {
        if let spawned {
            for descriptor in [spawned.channel, spawned.pidfd] { loop.unwatch(descriptor) }
            for descriptor in [spawned.channel, spawned.pidfd, spawned.errors] { close(descriptor) }
        }
        spawned = nil
        let last = tell
        tell = nil
        last?(.gone(how, byOthers: wasKilled && !isKilled && breach == nil))
    }

    private func describe(_ status: Int32, _ spawned: SpawnedProcess) -> String {
        var parts = [status < 0 ? "signal \(-status)" : "exit \(status)"]
        if let breach { parts.append(breach) }
        let complaints = readComplaints(spawned)
        if !complaints.isEmpty { parts.append(complaints) }
        return parts.joined(separator: "; ")
    }

    /// The first lines that wait, printable; the rest is read and let go.
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
