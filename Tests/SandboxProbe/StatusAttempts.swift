import Glibc
import Sandbox

/// Questions about files that are not opened.
let statusAttempts: [String: Attempt] = [
    "status-outside": { _ throws(Refusal) in
        var status = stat()
        try Refusal.check(stat("/etc/passwd", &status))
        return "allowed"
    },
    // As if the path might be empty, in which case the descriptor counts.
    "status-outside-as-of-descriptor": { _ throws(Refusal) in
        let status = UnsafeMutablePointer<stat>.allocate(capacity: 1)
        _ = try call(
            CallNumber.status, Int(AT_FDCWD), Int(bitPattern: strdup("/etc/passwd")), Int(bitPattern: status), 0x1000)
        return "allowed"
    },
    "status-of-link-outside": { _ throws(Refusal) in
        var status = stat()
        try Refusal.check(lstat("/proc/self/exe", &status))
        return "allowed"
    },
    "newer-status-outside": { _ throws(Refusal) in
        let status = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 8)
        let everything = 0xfff
        _ = try call(
            CallNumber.newerStatus, Int(AT_FDCWD), Int(bitPattern: strdup("/etc/passwd")), 0, everything,
            Int(bitPattern: status))
        return "allowed"
    },
    "access-outside": { _ throws(Refusal) in
        try Refusal.check(access("/etc/passwd", R_OK))
        return "allowed"
    },
    "hold-path": { _ throws(Refusal) in try tryToOpen("/etc/passwd", 0o10000000) },  // O_PATH
    "read-link": { _ throws(Refusal) in
        var buffer = [CChar](repeating: 0, count: 256)
        try Refusal.check(readlink("/proc/self/exe", &buffer, buffer.count))
        return "allowed"
    },
    "status-of-descriptor": { beforehand throws(Refusal) in
        try Refusal.check(pwrite(beforehand.output, [1, 2, 3], 3, 0))
        var status = stat()
        try Refusal.check(fstat(beforehand.output, &status))
        return status.st_size == 3 && status.st_mode & S_IFMT == S_IFREG ? "allowed" : "wrong"
    },
    "status-for-drawing": { _ throws(Refusal) in
        var count = 0
        for path in Sandbox.drawingFiles where access(path, R_OK) == 0 {
            var (status, same) = (stat(), stat())
            try Refusal.check(stat(path, &status))
            let file = open(path, O_RDONLY)
            try Refusal.check(fstat(file, &same))
            if status.st_ino != same.st_ino || status.st_size != same.st_size { return "wrong" }
            close(file)
            count += 1
        }
        return count > 0 ? "allowed" : "nothing to read"
    },
]
