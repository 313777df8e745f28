/// The rights that a process gives up for good before it decodes untrusted bytes.
///
/// Each call returns 0 or an errno. None of them can be undone. The order is: `csandbox_limit`;
/// `csandbox_drop_capabilities` and `csandbox_confine_files`, while there is only one thread; anything that still has to
/// load libraries; `csandbox_confine_calls`.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

/// Limits the process's resources, and ties its life to its parent's.
///
/// `data_bytes` limits private writable memory (`RLIMIT_DATA`: heap and thread stacks, not files mapped for reading),
/// `file_bytes` the length of any file that it writes (`RLIMIT_FSIZE`), `cpu_seconds` the CPU time of all threads,
/// after which the process is killed, and `descriptors` the number of open files. Limits and a `niceness` that are
/// already stricter stay.
///
/// The process becomes the OOM killer's first choice, and asks for long time slices that other processes may preempt.
/// It is killed when the thread that started it ends (`PR_SET_PDEATHSIG`). It dumps no core, and processes of the
/// same user can neither trace it (ptrace(2)) nor read its memory (/proc/PID/mem).
int csandbox_limit(
    uint64_t data_bytes, uint64_t file_bytes, uint64_t cpu_seconds, uint64_t descriptors, int niceness);

/// Gives up all capabilities (capabilities(7)) and gaining any (`PR_SET_NO_NEW_PRIVS`), as a process of root has many.
/// Binds only the calling thread and those it starts later.
int csandbox_drop_capabilities(void);

/// Opens what tells the size of the process's address space, which it can't open any more once files are confined
/// (/proc/self/statm). Returns a descriptor, or -1 with `errno` set.
int csandbox_open_size(void);

/// Limits the address space (`RLIMIT_AS`): to what is mapped now other than private writable memory, `data_bytes` for
/// the latter, and `other_bytes` for anything else. This bounds memory that `RLIMIT_DATA` does not count: page tables,
/// memory that grows like a stack, and memory that was made inaccessible after it was written. `size` is what
/// `csandbox_open_size` returned.
int csandbox_limit_address_space(int size, uint64_t data_bytes, uint64_t other_bytes);

/// Gives up gaining privileges (`PR_SET_NO_NEW_PRIVS`) and, by Landlock, all access to the file system except reading
/// at or beneath the paths `readable`. On newer kernels, it also gives up binding and connecting TCP sockets, and
/// signals and abstract sockets to other processes. A path that does not exist is skipped. Open descriptors stay
/// usable.
///
/// Landlock binds only the calling thread and those it starts later: returns `EBUSY` if the process already has
/// others. Returns `ENOSYS` or `EOPNOTSUPP` if the kernel has no Landlock; privileges are given up all the same.
int csandbox_confine_files(const char *const *readable, size_t count);

/// Gives up, in all threads, every system call that decoding does not need (seccomp(2)): the process can't create
/// files or open them for writing, create sockets or processes, or make memory executable. A call that libraries
/// legitimately try fails with an errno; any other kills the process with SIGSYS. Installs a handler for SIGSYS.
///
/// If `listener` is not NULL, a new thread needs the consent of a supervisor, another process, which
/// `csandbox_answer_thread_request` gives. `*listener` is then a descriptor to pass to it and to close, or -1 if the
/// kernel (before 5.7) cannot ask, or the container runtime asks on its own behalf: then threads are not limited.
int csandbox_confine_calls(int *listener);

/// Opens what tells the number of the process's threads (/proc/self/task), for the supervisor. Returns a descriptor, or
/// -1 with `errno` set.
int csandbox_open_tasks(void);

/// Answers one request for a thread, as the supervisor, when `listener` is readable. `tasks` is what
/// `csandbox_open_tasks` returned in the supervised process. Returns 0 if the request was granted or withdrawn, EAGAIN
/// if the process has `limit` threads already, which makes its request fail with the same error, or another errno.
int csandbox_answer_thread_request(int listener, int tasks, unsigned int limit);

#endif
