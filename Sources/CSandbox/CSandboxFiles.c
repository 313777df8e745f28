#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// From linux/landlock.h and asm-generic/unistd.h, under names of our own: the headers of a distribution are often older
// than the kernel below it. https://docs.kernel.org/userspace-api/landlock.html
#define CALL_CREATE_RULESET 444
#define CALL_ADD_RULE 445
#define CALL_RESTRICT_SELF 446

#define CREATE_RULESET_VERSION (1U << 0)
#define RULE_PATH_BENEATH 1
#define FILE_READ_FILE (1ULL << 2)
#define FILE_READ_DIR (1ULL << 3)

/// `struct landlock_ruleset_attr`. Older kernels know a shorter one, and take this while the rest of it is zero.
struct ruleset {
    uint64_t handled_files;
    uint64_t handled_network;
    uint64_t scoped;
};

/// `struct landlock_path_beneath_attr`.
struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/// All that the kernel's version of Landlock can refuse, as far as this file knows: the first `n` bits of each kind.
static struct ruleset everything(long version) {
    struct ruleset all = {.handled_files = (1ULL << 13) - 1};      // from EXECUTE to MAKE_SYM
    if (version >= 2) all.handled_files |= 1ULL << 13;             // REFER: to link or rename across directories
    if (version >= 3) all.handled_files |= 1ULL << 14;             // TRUNCATE
    if (version >= 4) all.handled_network = 1ULL << 0 | 1ULL << 1; // BIND_TCP, CONNECT_TCP
    if (version >= 5) all.handled_files |= 1ULL << 15;             // IOCTL_DEV
    if (version >= 6) all.scoped = 1ULL << 0 | 1ULL << 1;          // ABSTRACT_UNIX_SOCKET, SIGNAL
    return all;
}

static int allow_reading(int rules, const char *path) {
    int place = open(path, O_PATH | O_CLOEXEC);
    // A part of the way that is missing, no directory, or not ours to pass: nothing there could be read.
    if (place < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    int error = 0;
    struct stat what;
    if (fstat(place, &what) != 0) {
        error = errno;
    } else {
        // The right to list is one of directories: for a file, the kernel refuses the whole rule.
        struct path_rule rule = {
            .allowed = S_ISDIR(what.st_mode) ? FILE_READ_FILE | FILE_READ_DIR : FILE_READ_FILE,
            .parent = place,
        };
        if (syscall(CALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
    }
    close(place);
    return error;
}

/// A directory in /proc has a link for itself, one for its parent's entry and one for each thread. Where /proc is not
/// mounted, the promise of the caller has to do.
static int has_other_threads(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3;
}

int csandbox_confine_files(const char *const *readable, size_t count) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (has_other_threads()) return EBUSY;
    long version = syscall(CALL_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    if (version < 0) return errno;
    struct ruleset all = everything(version);
    int rules = (int)syscall(CALL_CREATE_RULESET, &all, sizeof all, 0);
    if (rules < 0) return errno;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) error = allow_reading(rules, readable[i]);
    if (error == 0 && syscall(CALL_RESTRICT_SELF, rules, 0) != 0) error = errno;
    close(rules);
    return error;
}
