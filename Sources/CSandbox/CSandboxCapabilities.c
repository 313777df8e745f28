#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Both halves of a thread's capabilities: `struct __user_cap_data_struct` holds 32 of them.
struct capabilities {
    struct __user_cap_data_struct halves[_LINUX_CAPABILITY_U32S_3];
};

static int read_capabilities(struct capabilities *held) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capget, &header, held->halves) == 0 ? 0 : errno;
}

static int write_capabilities(const struct capabilities *wanted) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capset, &header, wanted->halves) == 0 ? 0 : errno;
}

/// A process without CAP_SETPCAP can't narrow its bounding set. Without privileges to gain, the set means nothing.
static int empty_bounding_set(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return errno;
    }
    return 0;
}

int csandbox_drop_capabilities(void) {
    const struct capabilities none = {0};
    struct capabilities held = none;
    int error = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if ((error = empty_bounding_set()) != 0) return error;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return errno;
    if ((error = read_capabilities(&held)) != 0) return error;
    // A container runtime or a service manager that forbids capset(2) has usually left nothing to drop.
    return memcmp(&held, &none, sizeof none) == 0 ? 0 : write_capabilities(&none);
}
