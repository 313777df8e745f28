import Glibc

let processAttempts: [String: Attempt] = [
    "exec": { _ throws(Refusal) in
        var arguments = [strdup("echo"), strdup("allowed"), nil]
        try Refusal.check(execv("/bin/echo", &arguments))
        return "allowed"
    },
    "fork": { _ throws(Refusal) in
        // The system call behind fork(3), which Swift does not offer.
        if try call(CallNumber.clone, Int(SIGCHLD)) == 0 { _exit(0) }
        return "allowed"
    },
    "spawn": { _ throws(Refusal) in
        var process: pid_t = 0
        var arguments = [strdup("true"), nil]
        let code = posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil)
        if code != 0 { throw Refusal(code: code) }
        return "allowed"
    },
    "trace": { _ throws(Refusal) in
        _ = try call(CallNumber.ptrace, 0)  // PTRACE_TRACEME
        return "allowed"
    },
    "read-own-memory-as-another": { _ throws(Refusal) in
        _ = try call(CallNumber.processRead, Int(getpid()))
        return "allowed"
    },
    "hold-parent": { beforehand throws(Refusal) in
        _ = try call(CallNumber.openPID, Int(beforehand.parent))
        return "allowed"
    },
    "is-parent-alive": { beforehand throws(Refusal) in
        try Refusal.check(kill(beforehand.parent, 0))
        return "allowed"
    },
    // A signal that the parent ignores by default; to the sandbox, all signals are alike.
    "signal-parent": { beforehand throws(Refusal) in
        try Refusal.check(kill(beforehand.parent, SIGWINCH))
        return "allowed"
    },
    "signal-thread-of-parent": { beforehand throws(Refusal) in
        _ = try call(CallNumber.tgkill, Int(beforehand.parent), Int(beforehand.parent), Int(SIGWINCH))
        return "allowed"
    },
    "abort": { _ throws(Refusal) in abort() },
    "keep-capability": { _ throws(Refusal) in
        // struct __user_cap_header_struct in its third version, and two of struct __user_cap_data_struct.
        let header = UnsafeMutablePointer<UInt32>.allocate(capacity: 8)
        header.initialize(repeating: 0, count: 8)
        header[0] = 0x2008_0522
        _ = try call(CallNumber.capget, Int(bitPattern: header), Int(bitPattern: header + 2))
        if (2..<8).allSatisfy({ header[$0] == 0 }) { throw Refusal(code: EPERM) }
        return "allowed"
    },
    "raise-limit": { _ throws(Refusal) in
        var limit = rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)
        try Refusal.check(setrlimit(__rlimit_resource_t(2), &limit))  // RLIMIT_DATA
        return "allowed"
    },
    "read-limit": { _ throws(Refusal) in
        var limit = rlimit()
        try Refusal.check(getrlimit(__rlimit_resource_t(2), &limit))
        return "allowed"
    },
    "renice": { _ throws(Refusal) in
        try Refusal.check(setpriority(__priority_which_t(0), 0, 19))
        return "allowed"
    },
    "descriptors": { _ throws(Refusal) in
        for _ in 0..<200 { try Refusal.check(dup(0)) }
        return "allowed"
    },
    "inherit-priority": { _ throws(Refusal) in
        let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        word.initialize(to: 0)
        _ = try call(CallNumber.futex, Int(bitPattern: word), 8 | 128)  // FUTEX_TRYLOCK_PI, private
        return "allowed"
    },
    "clock-of-parent": { beforehand throws(Refusal) in
        var time = timespec()
        // As clock_getcpuclockid(3) computes it.
        try Refusal.check(clock_gettime(~beforehand.parent << 3 | 2, &time))
        return "allowed"
    },
    "own-clock": { _ throws(Refusal) in
        var time = timespec()
        try Refusal.check(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time))
        try Refusal.check(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time))
        return "allowed"
    },
    "wait": { _ throws(Refusal) in
        say("ready")
        while true { sleep(60) }
    },
]
