#define _GNU_SOURCE
#include "CSandboxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// stat(2) and access(2) tell about any file on the machine, because Landlock restricts opening alone. And a filter can't
// tell glibc's fstat(3), which is newfstatat(2) with an empty path before glibc 2.39, from a path. So the filter lets
// neither through; instead, the kernel raises SIGSYS, and the handler answers by opening the file, which Landlock may
// deny, and looking at the descriptor. An attacker who replaces the handler gains nothing: it has no more rights than
// the rest of the process.

#if defined(__x86_64__)
static const int argument_registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
#define ARGUMENT(machine, number) ((machine)->gregs[argument_registers[number]])
#define RESULT(machine) ((machine)->gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARGUMENT(machine, number) ((machine)->regs[number])
#define RESULT(machine) ((machine)->regs[0])
#endif

#define SECCOMP_CODE 1 // SYS_SECCOMP of asm-generic/siginfo.h, which glibc 2.36 does not define

/// A system call's result as the kernel returns it: a negative error number if it failed.
static long raw(long result) { return result < 0 ? -errno : result; }

static long open_for_reading(int directory, const char *path, int flags) {
    // Opening a FIFO or a terminal must not wait, nor have a side effect.
    int always = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    return raw(syscall(SYS_openat, directory, path, always | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0));
}

static long status_of(int directory, const char *path, void *status, int flags) {
    if (flags & AT_EMPTY_PATH && (path == NULL || *path == 0)) return raw(syscall(SYS_fstat, directory, status));
    long file = open_for_reading(directory, path, flags);
    // ELOOP: a symbolic link, which can't be opened itself.
    if (file < 0) return file == -ELOOP ? -EACCES : file;
    long result = raw(syscall(SYS_fstat, (int)file, status));
    (void)syscall(SYS_close, (int)file);
    return result;
}

/// Whatever can be read is accessible; nothing can be written.
static long access_to(int directory, const char *path, int mode) {
    if (mode & W_OK) return -EACCES;
    long file = open_for_reading(directory, path, 0);
    if (file < 0) return file;
    (void)syscall(SYS_close, (int)file);
    return 0;
}

static void answer(int signal, siginfo_t *about, void *context) {
    (void)signal;
    if (about->si_code != SECCOMP_CODE) return;
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    int error = errno;
    long result = -ENOSYS;
    switch (about->si_syscall) {
    case SYS_newfstatat:
        result = status_of(
            (int)ARGUMENT(machine, 0), (const char *)ARGUMENT(machine, 1), (void *)ARGUMENT(machine, 2),
            (int)ARGUMENT(machine, 3));
        break;
#ifdef SYS_access
    case SYS_access:
        result = access_to(AT_FDCWD, (const char *)ARGUMENT(machine, 0), (int)ARGUMENT(machine, 1));
        break;
#endif
    case SYS_faccessat:
    case SYS_faccessat2:
        result = access_to(
            (int)ARGUMENT(machine, 0), (const char *)ARGUMENT(machine, 1), (int)ARGUMENT(machine, 2));
        break;
    }
    RESULT(machine) = result;
    errno = error;
}

int csandbox_answer_path_calls(void) {
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL) == 0 ? 0 : errno;
}
