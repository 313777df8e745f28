import Glibc

/// Changes of an open file, which everybody who shares it would notice.
let descriptorAttempts: [String: Attempt] = [
    "change-flags": { beforehand throws(Refusal) in try control(beforehand.input, .setFlags, Int(O_NONBLOCK)) },
    "change-owner": { beforehand throws(Refusal) in try control(beforehand.pair.0, .setOwner, Int(getpid())) },
    "change-signal": { beforehand throws(Refusal) in try control(beforehand.pair.0, .setSignal, Int(SIGWINCH)) },
    "lock": { beforehand throws(Refusal) in
        let lock = UnsafeMutablePointer<flock>.allocate(capacity: 1)
        lock.initialize(to: flock())
        lock.pointee.l_type = Int16(F_WRLCK)
        return try control(beforehand.output, .setLock, Int(bitPattern: lock))
    },
    "lease": { beforehand throws(Refusal) in try control(beforehand.input, .setLease, Int(F_RDLCK)) },
    "change-pipe": { beforehand throws(Refusal) in try control(beforehand.pipe, .setPipeSize, 1 << 17) },
    "watch-folder": { beforehand throws(Refusal) in try control(beforehand.directory, .notify, 0) },
    "change-read-ahead": { beforehand throws(Refusal) in
        let code = posix_fadvise(beforehand.input, 0, 0, POSIX_FADV_RANDOM)
        if code != 0 { throw Refusal(code: code) }
        return "allowed"
    },
    "read-ahead": { beforehand throws(Refusal) in
        let code = posix_fadvise(beforehand.input, 0, 0, POSIX_FADV_WILLNEED)
        if code != 0 { throw Refusal(code: code) }
        return "allowed"
    },
    "duplicate": { beforehand throws(Refusal) in
        _ = try control(beforehand.input, .duplicate, 10)
        return try control(beforehand.input, .getFlags, 0)
    },
]

/// Commands of fcntl(2). Swift does not name those that only Linux has.
private enum Command: Int {
    case duplicate = 0
    case getFlags = 3
    case setFlags = 4
    case setLock = 6
    case setOwner = 8
    case setSignal = 10
    case setLease = 1024
    case notify = 1026
    case setPipeSize = 1031
}

private func control(_ descriptor: Int32, _ command: Command, _ argument: Int) throws(Refusal) -> String {
    _ = try call(CallNumber.fcntl, Int(descriptor), command.rawValue, argument)
    return "allowed"
}
