import Glibc

/// What the attempts need and could no longer create inside the sandbox.
struct Beforehand {
    /// A directory for this run with a file in it, named and removed by whoever started the probe.
    let folder = getenv("SANDBOX_PROBE_FOLDER").map { String(cString: $0) } ?? "/nonexistent"
    /// Asking for it inside the sandbox would already be fatal.
    let parent = getppid()
    /// The two ends of a stream.
    let pair: (Int32, Int32)
    /// A TCP socket that is not connected, and the address of one that listens.
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let listener: sockaddr_in

    /// A file open for writing.
    let output =
        getenv("SANDBOX_PROBE_FOLDER").map { open(String(cString: $0) + "/output", O_WRONLY | O_CREAT, 0o600) } ?? -1

    /// A file open for reading, a directory, and the end of a pipe to write to.
    let input: Int32
    let directory: Int32
    let pipe: Int32

    var olderThread: OlderThread?
    var isSupervised = false

    var file: String { folder + "/file" }

    init() {
        var ends = [Int32](repeating: -1, count: 2)
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        pair = (ends[0], ends[1])
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(server, generic, length)
                listen(server, 1)
                getsockname(server, generic, &length)
            }
        }
        listener = address
        let file = folder + "/file"
        close(open(file, O_WRONLY | O_CREAT, 0o600))
        input = open(file, O_RDONLY)
        directory = open(folder, O_RDONLY | O_DIRECTORY)
        Glibc.pipe(&ends)
        pipe = ends[1]
    }
}
