/// The table of system calls that a sandboxed process may still make. Not part of the module.
#ifndef CSANDBOX_CALLS_H
#define CSANDBOX_CALLS_H

#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/// When a row applies to a call with its number.
enum condition { ALWAYS, WHEN_EQUAL, UNLESS_EQUAL };

/// The rows for a call are tried in order, and the first whose condition holds decides. If none does, the process is
/// killed.
struct row {
    uint32_t call;
    /// `SECCOMP_RET_ALLOW`; `SECCOMP_RET_ERRNO` with the errno in its low half; `SECCOMP_RET_TRAP`; or
    /// `SECCOMP_RET_USER_NOTIF`.
    uint32_t answer;
    enum condition condition;
    /// The comparison: `argument & mask` with `value`. Arguments are numbered from 0.
    uint32_t argument;
    uint64_t mask;
    uint64_t value;
};

/// The mask for pointers and longs, and the one for ints, whose upper half is undefined in the register.
#define WHOLE UINT64_MAX
#define INT UINT32_MAX

#define ALLOW(name) {__NR_##name, SECCOMP_RET_ALLOW, ALWAYS, 0, 0, 0}
#define ALLOW_IF(name, argument, mask, value) {__NR_##name, SECCOMP_RET_ALLOW, WHEN_EQUAL, argument, mask, value}
#define REFUSE(name, error) {__NR_##name, SECCOMP_RET_ERRNO | (error), ALWAYS, 0, 0, 0}
#define REFUSE_IF(name, error, argument, mask, value) \
    {__NR_##name, SECCOMP_RET_ERRNO | (error), WHEN_EQUAL, argument, mask, value}
#define REFUSE_UNLESS(name, error, argument, mask, value) \
    {__NR_##name, SECCOMP_RET_ERRNO | (error), UNLESS_EQUAL, argument, mask, value}

#define TRAP(name) {__NR_##name, SECCOMP_RET_TRAP, ALWAYS, 0, 0, 0}

/// Installs the handler that answers calls about paths, which are trapped. Returns 0 or an errno.
int csandbox_answer_path_calls(void);

/// Loads the table into the kernel, for all threads. If `listener` is not NULL, it receives the descriptor over which
/// calls with `SECCOMP_RET_USER_NOTIF` are reported. Returns 0 or an errno.
int csandbox_load(const struct row *rows, size_t count, int *listener);

#endif
