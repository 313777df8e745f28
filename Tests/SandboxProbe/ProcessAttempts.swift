import Glibc

let processAttempts: [String: Attempt] = [
    "exec": { _ throws(Refusal) in
        var arguments = [strdup("echo"), strdup("allowed"), nil]
        try Refusal.check(execv("/bin/echo", &arguments))
        return "allowed"
    },
    "fork": { _ throws(Refusal) in
        // What fork(3), which Swift does not offer, calls.
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
    "thread": { _ throws(Refusal) in
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { _ in UnsafeMutableRawPointer(bitPattern: 7) }, nil)
        if code != 0 { throw Refusal(code: code) }
        var result: UnsafeMutableRawPointer?
        pthread_join(thread, &result)
        return Int(bitPattern: result) == 7 ? "allowed" : "lost"
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
    // What ignores it by default; for the sandbox, one signal is as good as another.
    "signal-parent": { beforehand throws(Refusal) in
        try Refusal.check(kill(beforehand.parent, SIGWINCH))
        return "allowed"
    },
    "signal-thread-of-parent": { beforehand throws(Refusal) in
        _ = try call(CallNumber.tgkill, Int(beforehand.parent), Int(beforehand.parent), Int(SIGWINCH))
        return "allowed"
    },
    "abort": { _ throws(Refusal) in abort() },
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
    "kernel-ring": { _ throws(Refusal) in
        _ = try call(CallNumber.ringSetup)
        return "allowed"
    },
    "wait": { _ throws(Refusal) in
        say("ready")
        while true { sleep(60) }
    },
]
