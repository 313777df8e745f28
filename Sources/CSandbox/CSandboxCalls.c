#define _GNU_SOURCE
#include "CSandbox.h"
#include "CSandboxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Flags that open a file for anything but reading. O_TMPFILE contains O_DIRECTORY, so only its own bit counts.
#define NOT_READING (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | (O_TMPFILE & ~O_DIRECTORY))
// Memory that RLIMIT_DATA counts: private, and with none of the flags that make it a growing stack, huge pages, or
// locked. Without MAP_FIXED, no mapping replaces part of another.
#define COUNTED_MEMORY MAP_PRIVATE
#define HARMLESS_MAP_FLAGS (MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_DENYWRITE | MAP_POPULATE)
// Since Linux 6.13; glibc makes the guard pages of stacks by them.
#define ADVICE_GUARD_INSTALL 102
#define ADVICE_GUARD_REMOVE 103
// The flags by which glibc creates a thread. One without CLONE_FILES would have as many descriptors again.
#define THREAD \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS \
     | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

#define FUTEX_OPERATION (INT & FUTEX_CMD_MASK)
#define LAST_CLOCK 15 // MAX_CLOCKS of linux/time.h

/// `thread` is the answer to a request for a thread.
static int load_table(uint32_t thread, int *listener) {
    const struct row rows[] = {
        // Memory. Nothing written after the lock can be executed, so no library can be loaded either. Whatever counts
        // against no limit here is bounded by the address space.
        REFUSE_UNLESS(mmap, EACCES, 2, ~(uint64_t)(PROT_READ | PROT_WRITE), PROT_NONE),
        REFUSE_UNLESS(mmap, EPERM, 3, ~(uint64_t)HARMLESS_MAP_FLAGS, COUNTED_MEMORY),
        ALLOW(mmap),
        REFUSE(memfd_create, EPERM),
        REFUSE(ftruncate, EPERM),
        // Memory that has become read-only counts no more, but stays. Guard pages of stacks need PROT_NONE.
        ALLOW_IF(mprotect, 2, WHOLE, PROT_READ | PROT_WRITE),
        ALLOW_IF(mprotect, 2, WHOLE, PROT_NONE),
        REFUSE(mprotect, EACCES),
        ALLOW(munmap),
        ALLOW_IF(mremap, 3, WHOLE, MREMAP_MAYMOVE), // realloc(3)
        REFUSE(mremap, EPERM),
        ALLOW(brk),
        // Other advice would evict files from the page cache, merge pages across processes, or split the stack.
        ALLOW_IF(madvise, 2, INT, MADV_DONTNEED),
        ALLOW_IF(madvise, 2, INT, MADV_FREE),
        ALLOW_IF(madvise, 2, INT, MADV_WILLNEED),
        ALLOW_IF(madvise, 2, INT, ADVICE_GUARD_INSTALL),
        ALLOW_IF(madvise, 2, INT, ADVICE_GUARD_REMOVE),
        REFUSE(madvise, EINVAL),

        // Threads: decoders and libvips have thread pools, and hang without them. A filter can't see clone3's flags;
        // ENOSYS makes glibc fall back to clone.
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_WAIT),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_WAKE),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_WAIT_BITSET),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_WAKE_BITSET),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_REQUEUE),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_CMP_REQUEUE),
        ALLOW_IF(futex, 1, FUTEX_OPERATION, FUTEX_WAKE_OP),
        REFUSE(futex, ENOSYS), // priority inheritance, which no decoder uses and which has had holes
        {__NR_clone, thread, WHEN_EQUAL, 0, WHOLE, THREAD},
        REFUSE(clone3, ENOSYS),
        ALLOW(rseq),
        ALLOW(set_robust_list),
        ALLOW(set_tid_address),
        ALLOW(sched_getaffinity),
        ALLOW(sched_yield),
        REFUSE(membarrier, EPERM),
        ALLOW_IF(prctl, 0, INT, PR_SET_NAME),
        REFUSE(prctl, EPERM),
        ALLOW(gettid),
        ALLOW(exit),
        ALLOW(exit_group),

        // Signals: the process's own handlers, and abort(3).
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(restart_syscall),
        ALLOW(getpid),
        REFUSE_UNLESS(tgkill, EPERM, 0, INT, (uint32_t)getpid()),
        ALLOW(tgkill),

        // Open descriptors, and messages over the one socket among them, to its other end only.
        ALLOW(read),
        ALLOW(write),
        ALLOW(writev), // glibc prints the reason for an abort with it
        ALLOW(pread64),
        ALLOW(pwrite64),
        ALLOW(lseek),
        ALLOW_IF(fadvise64, 3, INT, POSIX_FADV_WILLNEED),
        REFUSE(fadvise64, EPERM), // would change how the server reads the file as well
        ALLOW(close),
        ALLOW(dup),
        ALLOW(fstat),
        ALLOW(recvmsg),
        ALLOW(sendmsg),
        ALLOW(recvfrom),
        REFUSE_UNLESS(sendto, EPERM, 4, WHOLE, 0),
        ALLOW(sendto),
#ifdef __NR_poll
        ALLOW(poll),
#endif
        ALLOW(ppoll), // poll(3) on aarch64
        // What fcntl(2) does to the descriptor only. The rest concerns the open file, which is the server's as well: its
        // flags (F_SETFL), owner, locks, lease, seals, and the size of its pipe.
        ALLOW_IF(fcntl, 1, INT, F_DUPFD),
        ALLOW_IF(fcntl, 1, INT, F_DUPFD_CLOEXEC),
        ALLOW_IF(fcntl, 1, INT, F_GETFD),
        ALLOW_IF(fcntl, 1, INT, F_SETFD),
        ALLOW_IF(fcntl, 1, INT, F_GETFL),
        REFUSE(fcntl, EPERM),
        REFUSE(ioctl, ENOTTY),
        REFUSE(getpeername, ENOTSOCK),

        // Opening files by name for reading; Landlock decides which. It doesn't for O_PATH, by which any file's size and
        // times could be read.
        ALLOW_IF(openat, 2, NOT_READING, O_RDONLY),
        REFUSE(openat, EACCES),
        REFUSE(openat2, ENOSYS),
        // Answered by the handler, as far as the file can be opened. Without access(2), cairo draws no text.
        TRAP(newfstatat),
#ifdef __NR_access
        TRAP(access),
#endif
        TRAP(faccessat), // access(2) on aarch64
        TRAP(faccessat2),
        // fontconfig tries these when a font directory has changed since its cache was written.
#ifdef __NR_stat
        REFUSE(stat, EACCES),
        REFUSE(lstat, EACCES),
        REFUSE(readlink, EACCES),
        REFUSE(unlink, EACCES),
        REFUSE(mkdir, EACCES),
#endif
        REFUSE(statx, ENOSYS), // GIO and Rust's std try it first
        REFUSE(statfs, EACCES),
        REFUSE(fstatfs, EACCES),
        REFUSE(readlinkat, EACCES),
        REFUSE(unlinkat, EACCES),
        REFUSE(mkdirat, EACCES),
        REFUSE(getdents64, EACCES),
        REFUSE(getcwd, EACCES),

        // The machine and the clock. Where the vDSO can't read the clock, glibc makes a system call. Negative numbers are
        // the clocks of other processes.
        REFUSE_UNLESS(clock_gettime, EINVAL, 0, INT & ~(uint32_t)LAST_CLOCK, 0),
        ALLOW(clock_gettime),
        REFUSE_UNLESS(clock_getres, EINVAL, 0, INT & ~(uint32_t)LAST_CLOCK, 0),
        ALLOW(clock_getres),
        REFUSE_UNLESS(clock_nanosleep, EINVAL, 0, INT & ~(uint32_t)LAST_CLOCK, 0),
        ALLOW(clock_nanosleep),
        ALLOW(gettimeofday),
#ifdef __NR_time
        ALLOW(time),
#endif
        ALLOW(getrandom),
        ALLOW(getrusage),
        ALLOW(sysinfo),
        ALLOW(getcpu),
        REFUSE(uname, EPERM),
        // The process may read its own limits, but change none, nor read those of other processes.
        REFUSE_UNLESS(prlimit64, EPERM, 0, INT, 0),
        REFUSE_UNLESS(prlimit64, EPERM, 2, WHOLE, 0),
        ALLOW(prlimit64),
    };
    return csandbox_load(rows, sizeof rows / sizeof *rows, listener);
}

int csandbox_confine_calls(int *listener) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    int error = csandbox_answer_path_calls();
    if (error != 0) return error;
    if (listener == NULL) return load_table(SECCOMP_RET_ALLOW, NULL);
    *listener = -1;
    error = load_table(SECCOMP_RET_USER_NOTIF, listener);
    // EINVAL: the kernel has no listener for all threads (before 5.7). EBUSY: the filters of the container runtime have
    // one, and there can be only one.
    return error == EINVAL || error == EBUSY ? load_table(SECCOMP_RET_ALLOW, NULL) : error;
}
