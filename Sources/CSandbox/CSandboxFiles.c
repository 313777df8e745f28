#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Copied from linux/landlock.h and asm-generic/unistd.h under names of our own, because a distribution's headers are
// often older than the kernel it runs on. https://docs.kernel.org/userspace-api/landlock.html
#define CALL_CREATE_RULESET 444
#define CALL_ADD_RULE 445
#define CALL_RESTRICT_SELF 446

#define CREATE_RULESET_VERSION (1U << 0)
#define RULE_PATH_BENEATH 1
#define FILE_READ_FILE (1ULL << 2)
#define FILE_READ_DIR (1ULL << 3)

/// `struct landlock_ruleset_attr`. Older kernels know a shorter one and accept this if the remaining fields are zero.
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

/// All access rights that this version of Landlock can restrict, as far as this file knows: the first `n` bits of
/// each kind.
static struct ruleset everything(long version) {
    struct ruleset all = {.handled_files = (1ULL << 13) - 1};      // from EXECUTE to MAKE_SYM
    if (version >= 2) all.handled_files |= 1ULL << 13;             // REFER: linking or renaming across directories
    if (version >= 3) all.handled_files |= 1ULL << 14;             // TRUNCATE
    if (version >= 4) all.handled_network = 1ULL << 0 | 1ULL << 1; // BIND_TCP, CONNECT_TCP
    if (version >= 5) all.handled_files |= 1ULL << 15;             // IOCTL_DEV
    if (version >= 6) all.scoped = 1ULL << 0 | 1ULL << 1;          // ABSTRACT_UNIX_SOCKET, SIGNAL
    return all;
}

static int allow_reading(int rules, const char *path) {
    int place = open(path, O_PATH | O_CLOEXEC);
    // If part of the path is missing, is not a directory, or is inaccessible, there is nothing to read.
    if (place < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    int error = 0;
    struct stat what;
    if (fstat(place, &what) != 0) {
        error = errno;
    } else {
        // Listing is a right of directories: for a file, the kernel would reject the whole rule.
        struct path_rule rule = {
            .allowed = S_ISDIR(what.st_mode) ? FILE_READ_FILE | FILE_READ_DIR : FILE_READ_FILE,
            .parent = place,
        };
        if (syscall(CALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
    }
    close(place);
    return error;
}

/// The task directory has one link for itself, one from its parent, and one per thread. If /proc is not mounted, we
/// rely on the caller's promise.
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
