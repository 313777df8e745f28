import Decoding
import Glibc
import Renditions

/// `tessera-renderer LIMIT=VALUE…`: examines and renders pictures for its parent process, with which it communicates
/// over descriptor 3 (the messages are in `Renditions`). It enters the sandbox before it takes the first job.
@main
struct Program {
    static let channel: Int32 = 3

    static func main() {
        guard isSocket(channel), let limits = RenderLimits(words: CommandLine.arguments.dropFirst()) else {
            complain("tessera-renderer is started by tessera and does nothing on its own.")
            exit(EX_USAGE)
        }
        do {
            try WorkerSetup(limits: limits).run().serve()
        } catch {
            complain("tessera-renderer: \(error)")
            exit(EX_UNAVAILABLE)
        }
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    static func complain(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
