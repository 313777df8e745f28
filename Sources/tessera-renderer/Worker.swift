import CLinux
import Decoding
import Glibc
import Renditions
import Sandbox

/// Takes jobs from the channel, one after another, until the channel closes.
final class Worker {
    private let renderer: Renderer
    private let channel: Int32
    private let confinement: WorkerMessage.Confinement
    private let lacksAVIF: Bool
    private let threadRequests: Sandbox.ThreadRequests?
    private var buffer = [UInt8](repeating: 0, count: JobMessage.maximumLength)

    /// - Parameter threadRequests: What the pool answers, if the number of threads is limited.
    init(
        renderer: Renderer, channel: Int32, confinement: WorkerMessage.Confinement, lacksAVIF: Bool,
        threadRequests: Sandbox.ThreadRequests?
    ) {
        self.renderer = renderer
        self.channel = channel
        self.confinement = confinement
        self.lacksAVIF = lacksAVIF
        self.threadRequests = threadRequests
    }

    func serve() -> Never {
        send(.ready(confinement, lacksAVIF: lacksAVIF), with: threadRequests?.descriptors ?? [])
        // A worker that was taken over must not answer itself.
        threadRequests?.close()
        while true {
            let (message, descriptors) = next()
            switch message {
            // Too late: the job had been answered before this was read.
            case .stop: continue
            case .job(let job): answer(job, descriptors)
            }
        }
    }

    private func answer(_ job: JobMessage, _ descriptors: [Int32]) {
        guard descriptors.count == job.descriptors else { fail("a job without its files") }
        let (end, bytes) =
            switch job.work {
            case .readMetadataOfAll:
                performBatch(job, descriptors.map { ($0, .readMetadata) })
            case .readSidecars(let formats):
                performBatch(job, zip(descriptors, formats).map { ($0, .readSidecars([$1])) })
            default: perform(job, descriptors[0], output: descriptors.count > 1 ? descriptors[1] : nil)
            }
        for descriptor in descriptors { close(descriptor) }
        send(.ended(job: job.job, end, memory: Int64(clamping: clinux_trim_memory())))
        for file in bytes {
            for start in stride(from: 0, to: file.count, by: WorkerMessage.packetLength - 1) {
                send(.bytes(file[start..<min(file.count, start + WorkerMessage.packetLength - 1)]))
            }
        }
    }

    /// Does the work on one original after another.
    private func performBatch(
        _ job: JobMessage, _ originals: [(descriptor: Int32, work: RenderJob.Work)]
    ) -> (WorkerMessage.End, [[UInt8]]) {
        var ends: [WorkerMessage.End] = []
        var length = 0
        for (descriptor, work) in originals {
            let one = JobMessage(job: job.job, work: work, mayBeHeavy: false)
            let end = perform(one, descriptor).0
            if case .failed(let error) = end, error.reason == .stopped { return (end, []) }
            // A single result always fits into a packet, and usually many do.
            let more = WorkerMessage.results(job: job.job, [end]).packet.count
            if length + more > WorkerMessage.packetLength {
                send(.results(job: job.job, ends))
                (ends, length) = ([], 0)
            }
            ends.append(end)
            length += more
        }
        send(.results(job: job.job, ends))
        return (.made(RenderResponseHead.splitting(RenderResult()).head), [])
    }

    private func perform(
        _ job: JobMessage, _ descriptor: Int32, output: Int32? = nil
    ) -> (WorkerMessage.End, [[UInt8]]) {
        let stop = RenderStop { [channel] in Self.isStopped(job.job, channel) }
        do throws(RenderError) {
            let outcome = try renderer.perform(
                job.work, on: .descriptor(descriptor), output: output, mayBeHeavy: job.mayBeHeavy, stop: stop)
            switch outcome {
            case .heavy: return (.heavy, [])
            case .made(var answer):
                answer.source = Self.status(of: descriptor)
                let (head, bytes) = RenderResponseHead.splitting(answer)
                return (.made(head), bytes)
            }
        } catch {
            var error = error
            error.source = Self.status(of: descriptor)
            return (.failed(error), [])
        }
    }

    private static func status(of descriptor: Int32) -> SourceStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return SourceStatus() }
        return SourceStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    // MARK: - The channel

    private func next() -> (PoolMessage, [Int32]) {
        var descriptors = [Int32](repeating: -1, count: Int(CLINUX_MOST_DESCRIPTORS))
        while true {
            var number = 0
            let count = clinux_receive_packet(channel, &buffer, buffer.count, 0, &descriptors, &number)
            if count < 0, errno == EINTR { continue }
            // The pool has closed the channel.
            guard count > 0 else { _exit(0) }
            do {
                return (try PoolMessage(buffer[..<count]), Array(descriptors[..<number]))
            } catch {
                fail("\(error)")
            }
        }
    }

    /// Checks, in the middle of a job, whether the pool no longer needs it.
    private static func isStopped(_ job: UInt64, _ channel: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: JobMessage.maximumLength, alignment: 8) { buffer in
            let count = clinux_receive_packet(
                channel, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), nil, nil)
            if count < 0, errno == EMSGSIZE { fail("a job before the previous one finished") }
            if count < 0 { return false }
            guard count > 0, let message = try? PoolMessage(Array(buffer[..<count])[...]) else { _exit(0) }
            guard case .stop(let number) = message else { fail("a job before the previous one finished") }
            return number == job
        }
    }

    private func send(_ message: WorkerMessage, with descriptors: [Int32] = []) {
        let packet = message.packet
        while clinux_send_packet(channel, packet, packet.count, descriptors, descriptors.count) != packet.count {
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wait = pollfd(fd: channel, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            default: _exit(0)
            }
        }
    }
}

/// Reports a protocol violation and exits: such a peer can't be served.
private func fail(_ why: String) -> Never {
    Program.complain("tessera-renderer: \(why)")
    exit(EX_PROTOCOL)
}
