import Decoding
import Glibc
import Renditions

/// `tessera-renderer LIMIT=VALUE…`: examines and renders pictures for the process that started it, which it talks to by
/// descriptor 3; `Renditions` has the messages. It locks itself in before it takes the first.
@main
struct Program {
    static let channel: Int32 = 3

    static func main() {
        guard isSocket(channel), let limits = RenderLimits(words: CommandLine.arguments.dropFirst()) else {
            complain("tessera-renderer is started by tessera, and is of no use by itself.")
            exit(EX_USAGE)
        }
        do {
            let (renderer, confinement) = try Preparation(limits: limits).run()
            Worker(renderer: renderer, channel: channel).serve(confinement)
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
