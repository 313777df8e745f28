#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Lowers the soft and the hard limit to `value`. A hard limit that is lower already stays: only root may raise it.
static int lower(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return errno;
    if (value < limit.rlim_max) limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

/// Not a number below the present one: that needs a privilege, and who started the server nicer meant it.
static int become_nice(int niceness) {
    errno = 0;
    int present = getpriority(PRIO_PROCESS, 0);
    if (present == -1 && errno != 0) return errno;
    if (present >= niceness) return 0;
    return setpriority(PRIO_PROCESS, 0, niceness) == 0 ? 0 : errno;
}

/// Works in long turns (SCHED_BATCH, and from Linux 6.12 on a slice of 100 ms, the longest): whoever wakes with a shorter
/// one, as everybody does by default, goes at once instead of when a turn is over. Niceness decides the shares, as before.
/// Where the kernel does not know it, nothing is lost but this.
static void take_long_turns(void) {
    // struct sched_attr of linux/sched/types.h, in its first form; glibc has none yet.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } turns = {.size = sizeof turns, .policy = SCHED_BATCH, .runtime = 100 * 1000 * 1000};
    errno = 0;
    turns.nice = getpriority(PRIO_PROCESS, 0);
    if (turns.nice == -1 && errno != 0) return;
    (void)syscall(SYS_sched_setattr, 0, &turns, 0);
}

/// When memory runs out, a process that can be lost goes before its parent (/proc/PID/oom_score_adj, proc(5)).
static void go_first(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, "1000", 4);
    (void)written;
    close(file);
}

int csandbox_limit(
    uint64_t data_bytes, uint64_t file_bytes, uint64_t cpu_seconds, uint64_t descriptors, int niceness) {
    int error = 0;
    // No RLIMIT_AS: it counts stacks and arenas that nobody ever touches.
    if ((error = lower(RLIMIT_DATA, data_bytes)) != 0) return error;
    if ((error = lower(RLIMIT_FSIZE, file_bytes)) != 0) return error;
    if ((error = lower(RLIMIT_CPU, cpu_seconds)) != 0) return error;
    if ((error = lower(RLIMIT_NOFILE, descriptors)) != 0) return error;
    if ((error = lower(RLIMIT_CORE, 0)) != 0) return error;
    if ((error = become_nice(niceness)) != 0) return error;
    take_long_turns();
    go_first();
    // A parent that died before this line is not noticed here, but by the end of file on the socket that it held.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    return 0;
}
