#define _GNU_SOURCE
#include "CSandbox.h"
#include "CSandboxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// What opens a file for anything but reading. Of O_TMPFILE its own bit: the other is O_DIRECTORY.
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
// What makes a thread, and what would make more of it than a thread.
#define THREAD (CLONE_THREAD | CLONE_VM)
#define MORE_THAN_THREAD \
    (CLONE_VFORK | CLONE_PTRACE | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER \
     | CLONE_NEWPID | CLONE_NEWNET)

int csandbox_confine_calls(void) {
    const struct row rows[] = {
        // Memory. Code that was written after the lock cannot be run, so neither can a library be loaded.
        REFUSE_IF(mmap, EACCES, 2, PROT_EXEC, PROT_EXEC),
        // Memory that could be shared is not counted by RLIMIT_DATA, and neither are files in memory.
        REFUSE_IF(mmap, EPERM, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS),
        REFUSE(memfd_create, EPERM),
        REFUSE(ftruncate, EPERM),
        ALLOW(mmap),
        REFUSE_IF(mprotect, EACCES, 2, PROT_EXEC, PROT_EXEC),
        ALLOW(mprotect),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(brk),
        ALLOW(madvise),

        // Threads: decoders and libvips have pools, and hang without. ENOSYS sends glibc from clone3, whose flags are
        // out of a filter's sight, to clone.
        ALLOW(futex),
        ALLOW_IF(clone, 0, THREAD | MORE_THAN_THREAD, THREAD),
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

        // Signals: handlers of its own, and abort(3).
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(restart_syscall),
        ALLOW(getpid),
        REFUSE_UNLESS(tgkill, EPERM, 0, INT, (uint32_t)getpid()),
        ALLOW(tgkill),

        // Descriptors that are open, and messages over the one socket among them, to nobody but its other end.
        ALLOW(read),
        ALLOW(write),
        ALLOW(writev), // how glibc says why it aborts
        ALLOW(pread64),
        ALLOW(pwrite64),
        ALLOW(lseek),
        ALLOW(fadvise64),
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
        ALLOW(ppoll), // poll(3) of aarch64
        ALLOW_IF(fcntl, 1, INT, F_DUPFD),
        ALLOW_IF(fcntl, 1, INT, F_DUPFD_CLOEXEC),
        ALLOW_IF(fcntl, 1, INT, F_GETFD),
        ALLOW_IF(fcntl, 1, INT, F_SETFD),
        ALLOW_IF(fcntl, 1, INT, F_GETFL),
        ALLOW_IF(fcntl, 1, INT, F_SETFL),
        REFUSE(fcntl, EPERM),
        REFUSE(ioctl, ENOTTY),
        REFUSE(getpeername, ENOTSOCK),

        // Files by name, to read: which of them is for Landlock to say. Without access(2), cairo draws no text. What is
        // refused here by an error, fontconfig tries when a folder of fonts has changed since it wrote its cache.
        ALLOW_IF(openat, 2, WRITING, O_RDONLY),
        REFUSE(openat, EACCES),
        REFUSE(openat2, ENOSYS),
        ALLOW(newfstatat),
#ifdef __NR_access
        ALLOW(access),
#endif
        ALLOW(faccessat), // access(2) of aarch64
        ALLOW(faccessat2),
#ifdef __NR_stat
        REFUSE(stat, EACCES),
        REFUSE(lstat, EACCES),
        REFUSE(readlink, EACCES),
        REFUSE(unlink, EACCES),
        REFUSE(mkdir, EACCES),
#endif
        REFUSE(statx, ENOSYS), // GIO and Rust's std ask by it first
        REFUSE(statfs, EACCES),
        REFUSE(fstatfs, EACCES),
        REFUSE(readlinkat, EACCES),
        REFUSE(unlinkat, EACCES),
        REFUSE(mkdirat, EACCES),
        REFUSE(getdents64, EACCES),
        REFUSE(getcwd, EACCES),

        // The machine and the clock. Where the clock cannot be read without a call, glibc makes one.
        ALLOW(clock_gettime),
        ALLOW(clock_getres),
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
        // Reading the limits of its own; raising none, and none of others.
        REFUSE_UNLESS(prlimit64, EPERM, 0, INT, 0),
        REFUSE_UNLESS(prlimit64, EPERM, 2, WHOLE, 0),
        ALLOW(prlimit64),
    };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return csandbox_load(rows, sizeof rows / sizeof *rows);
}
