/// System calls that no decoder makes and every attacker would try, with arguments that do not matter: the kernel never
/// looks at them.
let callAttempts: [String: Attempt] = numbers.mapValues(attempt(toCall:))

private func attempt(toCall number: Int) -> Attempt {
    { _ throws(Refusal) in
        _ = try call(number)
        return "allowed"
    }
}

#if arch(x86_64)
    private let numbers: [String: Int] = [
        "unshare": 272, "setns": 308, "chroot": 161, "mount": 165, "personality": 135, "seccomp": 317, "capset": 126,
        "setuid": 105, "process_vm_writev": 311, "kcmp": 312, "pidfd_getfd": 438, "process_madvise": 440,
        "rt_sigqueueinfo": 129, "timer_create": 222, "sched_setaffinity": 203, "sched_setattr": 314, "bpf": 321,
        "userfaultfd": 323, "perf_event_open": 298, "io_uring_setup": 425, "add_key": 248, "keyctl": 250,
        "memfd_secret": 447, "shmget": 29, "mlock": 149, "mlockall": 151, "remap_file_pages": 216, "splice": 275,
        "vmsplice": 278, "sendfile": 40, "copy_file_range": 326, "fallocate": 285, "fchmod": 91, "fchown": 93,
        "fsetxattr": 190, "flock": 73, "utimensat": 280, "inotify_init1": 294, "name_to_handle_at": 303,
        "open_by_handle_at": 304, "eventfd2": 290, "pipe2": 293, "epoll_create1": 291, "socketpair": 53,
        "setsockopt": 54, "shutdown": 48,
    ]
#elseif arch(arm64)
    private let numbers: [String: Int] = [
        "unshare": 97, "setns": 268, "chroot": 51, "mount": 40, "personality": 92, "seccomp": 277, "capset": 91,
        "setuid": 146, "process_vm_writev": 271, "kcmp": 272, "pidfd_getfd": 438, "process_madvise": 440,
        "rt_sigqueueinfo": 138, "timer_create": 107, "sched_setaffinity": 122, "sched_setattr": 274, "bpf": 280,
        "userfaultfd": 282, "perf_event_open": 241, "io_uring_setup": 425, "add_key": 217, "keyctl": 219,
        "memfd_secret": 447, "shmget": 194, "mlock": 228, "mlockall": 230, "remap_file_pages": 234, "splice": 76,
        "vmsplice": 75, "sendfile": 71, "copy_file_range": 285, "fallocate": 47, "fchmod": 52, "fchown": 55,
        "fsetxattr": 7, "flock": 32, "utimensat": 88, "inotify_init1": 26, "name_to_handle_at": 264,
        "open_by_handle_at": 265, "eventfd2": 19, "pipe2": 59, "epoll_create1": 20, "socketpair": 199,
        "setsockopt": 208, "shutdown": 210,
    ]
#endif
