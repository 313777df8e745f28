#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (8U << 20)

/// Lowers the soft and hard limits to `value`. A lower hard limit stays: only root may raise it.
static int lower(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return errno;
    if (value < limit.rlim_max) limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

/// Never lowers the niceness: that needs a privilege, and whoever started the server with a higher one meant it.
static int become_nice(int niceness) {
    errno = 0;
    int present = getpriority(PRIO_PROCESS, 0);
    if (present == -1 && errno != 0) return errno;
    if (present >= niceness) return 0;
    return setpriority(PRIO_PROCESS, 0, niceness) == 0 ? 0 : errno;
}

/// Asks for long time slices (SCHED_BATCH, and from Linux 6.12 on a slice of 100 ms, the longest). A process that
/// wakes up with a shorter slice, which is the default, then preempts this one instead of waiting for its slice to
/// end. CPU shares still depend on niceness. A kernel that doesn't support this ignores it.
static void take_long_turns(void) {
    // struct sched_attr of linux/sched/types.h in its first version; glibc doesn't declare it yet.
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

/// Makes the OOM killer choose this expendable process before its parent (/proc/PID/oom_score_adj, proc(5)).
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
    if ((error = lower(RLIMIT_DATA, data_bytes)) != 0) return error;
    if ((error = lower(RLIMIT_FSIZE, file_bytes)) != 0) return error;
    if ((error = lower(RLIMIT_CPU, cpu_seconds)) != 0) return error;
    if ((error = lower(RLIMIT_NOFILE, descriptors)) != 0) return error;
    if ((error = lower(RLIMIT_CORE, 0)) != 0) return error;
    // The usual limit. Started under a higher one, the main thread's stack could grow to that, and RLIMIT_DATA does not
    // count it.
    if ((error = lower(RLIMIT_STACK, STACK_BYTES)) != 0) return error;
    if ((error = become_nice(niceness)) != 0) return error;
    take_long_turns();
    go_first();
    // If the parent died before this line, no signal comes; the end of file on its socket tells instead.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    return 0;
}

int csandbox_open_size(void) { return open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

int csandbox_limit_address_space(int size, uint64_t data_bytes, uint64_t other_bytes) {
    char text[128];
    ssize_t length = pread(size, text, sizeof text - 1, 0);
    if (length < 0) return errno;
    text[length] = 0;
    // proc_pid_statm(5): all pages, and, as the sixth number, those for data and stacks.
    unsigned long long all, data;
    if (sscanf(text, "%llu %*u %*u %*u %*u %llu", &all, &data) != 2 || data > all) return EINVAL;
    uint64_t rest = (all - data) * (uint64_t)sysconf(_SC_PAGESIZE);
    return lower(RLIMIT_AS, rest + data_bytes + other_bytes);
}
