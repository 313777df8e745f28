import Glibc
import Sandbox

let fileAttempts: [String: Attempt] = [
    "read-outside": { _ throws(Refusal) in try tryToOpen("/etc/passwd", O_RDONLY) },
    "read-environment": { _ throws(Refusal) in try tryToOpen("/proc/self/environ", O_RDONLY) },
    "read-for-drawing": { _ throws(Refusal) in
        // At least the C library's own modules exist.
        let present = Sandbox.drawingFiles.filter { access($0, F_OK) == 0 }
        guard !present.isEmpty else { throw Refusal(code: ENOENT) }
        for path in present { _ = try tryToOpen(path, O_RDONLY) }
        return "allowed"
    },
    "list-for-drawing": { _ throws(Refusal) in
        let directory = Sandbox.drawingFiles.lazy.compactMap { opendir($0) }.first
        guard let directory else { throw Refusal(code: ENOENT) }
        errno = 0
        if readdir(directory) == nil { throw Refusal(code: errno) }
        return "allowed"
    },
    "confine-files-beside-a-thread": { _ throws(Refusal) in
        do throws(SandboxError) {
            return try Sandbox.confineFiles(to: []) ? "allowed" : "no Landlock"
        } catch {
            throw Refusal(code: error.code)
        }
    },
    "write": { beforehand throws(Refusal) in try tryToOpen(beforehand.file, O_WRONLY) },
    "read-and-write": { beforehand throws(Refusal) in try tryToOpen(beforehand.file, O_RDWR) },
    "truncate": { beforehand throws(Refusal) in try tryToOpen(beforehand.file, O_RDONLY | O_TRUNC) },
    "create": { beforehand throws(Refusal) in try tryToOpen(beforehand.folder + "/new", O_RDONLY | O_CREAT) },
    // It was opened before; its limit is one megabyte.
    "fill-what-was-given": { beforehand throws(Refusal) in
        signal(SIGXFSZ, SIG_IGN)
        let bytes = [UInt8](repeating: 1, count: 65_536)
        for _ in 0..<17 { try Refusal.check(Int32(Glibc.write(beforehand.output, bytes, bytes.count))) }
        return "allowed"
    },
    "write-what-was-given": { beforehand throws(Refusal) in
        try Refusal.check(Int32(pwrite(beforehand.output, [1, 2, 3], 3, 24)))
        return "allowed"
    },
    "unlink": { beforehand throws(Refusal) in
        try Refusal.check(unlink(beforehand.file))
        return "allowed"
    },
    "rename": { beforehand throws(Refusal) in
        try Refusal.check(rename(beforehand.file, beforehand.folder + "/other"))
        return "allowed"
    },
    "make-directory": { beforehand throws(Refusal) in
        try Refusal.check(mkdir(beforehand.folder + "/directory", 0o700))
        return "allowed"
    },
]
