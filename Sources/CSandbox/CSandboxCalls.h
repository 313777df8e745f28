/// The system calls that a sandboxed process has left, as a table. Not part of the module.
#ifndef CSANDBOX_CALLS_H
#define CSANDBOX_CALLS_H

#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/// When a row of the table answers a call of its number.
enum condition { ALWAYS, WHEN_EQUAL, UNLESS_EQUAL };

/// The rows of one call are asked in turn, and the first whose condition holds answers. No row: the process is killed.
struct row {
    uint32_t call;
    /// `SECCOMP_RET_ALLOW`, or `SECCOMP_RET_ERRNO` with the errno in its low half.
    uint32_t answer;
    enum condition condition;
    /// What is compared: `argument & mask` with `value`. Arguments are numbered from 0.
    uint32_t argument;
    uint64_t mask;
    uint64_t value;
};

/// What pointers and longs are compared by, and what ints: their upper half is whatever was left in the register.
#define WHOLE UINT64_MAX
#define INT UINT32_MAX

#define ALLOW(name) {__NR_##name, SECCOMP_RET_ALLOW, ALWAYS, 0, 0, 0}
#define ALLOW_IF(name, argument, mask, value) {__NR_##name, SECCOMP_RET_ALLOW, WHEN_EQUAL, argument, mask, value}
#define REFUSE(name, error) {__NR_##name, SECCOMP_RET_ERRNO | (error), ALWAYS, 0, 0, 0}
#define REFUSE_IF(name, error, argument, mask, value) \
    {__NR_##name, SECCOMP_RET_ERRNO | (error), WHEN_EQUAL, argument, mask, value}
#define REFUSE_UNLESS(name, error, argument, mask, value) \
    {__NR_##name, SECCOMP_RET_ERRNO | (error), UNLESS_EQUAL, argument, mask, value}

/// Loads the table into the kernel, for all threads. Returns 0 or an errno.
int csandbox_load(const struct row *rows, size_t count);

#endif
