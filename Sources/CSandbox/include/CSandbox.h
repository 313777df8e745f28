/// What a process gives up for good before it decodes bytes that somebody hostile may have written.
///
/// Each call returns 0, or an errno. None of them can be taken back. The order is: `csandbox_limit`;
/// `csandbox_confine_files`, while there is one thread; whatever still has to load libraries; `csandbox_confine_calls`.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

/// Bounds what the process can use up, and ties its life to its parent's.
///
/// `data_bytes` bounds private writable memory (`RLIMIT_DATA`: heap, stacks of threads; not files mapped for reading),
/// `file_bytes` any file that it writes (`RLIMIT_FSIZE`), `cpu_seconds` the CPU time of all threads, after which the process is killed, `descriptors` the open files.
/// A limit or a `niceness` that is stricter already stays. It
/// is the first to go when memory runs out, and works in long turns, which others may interrupt. The process is killed when the thread that started it ends
/// (`PR_SET_PDEATHSIG`), dumps no core, and is closed to ptrace(2) and /proc/PID/mem for others of the same user.
int csandbox_limit(
    uint64_t data_bytes, uint64_t file_bytes, uint64_t cpu_seconds, uint64_t descriptors, int niceness);

/// Gives up new privileges (`PR_SET_NO_NEW_PRIVS`), and by Landlock all of the file system but reading what is at or
/// beneath the paths `readable`; where the kernel can, also binding and connecting of TCP sockets, and signals and
/// abstract sockets to other processes. A path that does not exist is skipped. Open descriptors stay as they are.
///
/// Landlock binds the calling thread and those it starts later: `EBUSY` if the process has others already. `ENOSYS` or
/// `EOPNOTSUPP` if the kernel has no Landlock; new privileges are given up all the same.
int csandbox_confine_files(const char *const *readable, size_t count);

/// Gives up, in all threads, every system call that decoding pictures does not need (seccomp(2)): no file is created or
/// opened for writing, no socket or process made, no memory becomes executable. A call that libraries try in good faith
/// fails with an errno; one that nobody has reason to make kills the process with SIGSYS.
int csandbox_confine_calls(void);

#endif
