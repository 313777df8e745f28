#define _GNU_SOURCE
#include "CSandboxCalls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of system calls are known for x86_64 and aarch64"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half of an argument comes first");

/// x32 calls have the x86_64 number with this bit set, and would slip past a list of numbers.
#define X32_BIT 0x40000000U

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
#define LOW(argument) (FIELD(args) + 8 * (argument))
#define HIGH(argument) (LOW(argument) + 4)

#define HEAD_LENGTH 6
#define ROW_LENGTH 9

/// A program for the kernel's classic BPF machine: one accumulator, forward jumps only.
struct program {
    struct sock_filter *code;
    unsigned short length;
};

static void emit(struct program *program, uint16_t code, uint32_t operand, uint8_t if_true, uint8_t if_false) {
    program->code[program->length++] = (struct sock_filter)BPF_JUMP(code, operand, if_true, if_false);
}

static void load(struct program *program, uint32_t field) { emit(program, BPF_LD | BPF_W | BPF_ABS, field, 0, 0); }

static void answer(struct program *program, uint32_t value) { emit(program, BPF_RET | BPF_K, value, 0, 0); }

/// Skips `if_true` instructions if the accumulator equals `value`, otherwise `if_false`.
static void compare(struct program *program, uint32_t value, uint8_t if_true, uint8_t if_false) {
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, if_true, if_false);
}

/// Expects the call's number in the accumulator, and leaves it there.
static void emit_row(struct program *program, const struct row *row) {
    if (row->condition == ALWAYS) {
        compare(program, row->call, 0, 1);
        answer(program, row->answer);
        return;
    }
    // The distances from each half's comparison to the answer, or past it.
    int unless = row->condition == UNLESS_EQUAL;
    compare(program, row->call, 0, ROW_LENGTH - 1);
    load(program, LOW(row->argument));
    emit(program, BPF_ALU | BPF_AND | BPF_K, (uint32_t)row->mask, 0, 0);
    compare(program, (uint32_t)row->value, 0, unless ? 3 : 4);
    load(program, HIGH(row->argument));
    emit(program, BPF_ALU | BPF_AND | BPF_K, (uint32_t)(row->mask >> 32), 0, 0);
    compare(program, (uint32_t)(row->value >> 32), unless ? 1 : 0, unless ? 0 : 1);
    answer(program, row->answer);
    load(program, FIELD(nr));
}

static void emit_head(struct program *program) {
    load(program, FIELD(arch));
    compare(program, ARCHITECTURE, 1, 0);
    answer(program, SECCOMP_RET_KILL_PROCESS);
    load(program, FIELD(nr));
#ifdef __x86_64__
    emit(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(program, SECCOMP_RET_KILL_PROCESS);
#endif
}

int csandbox_load(const struct row *rows, size_t count, int *listener) {
    size_t most = HEAD_LENGTH + count * ROW_LENGTH + 1;
    if (most > BPF_MAXINSNS) return E2BIG;
    struct program program = {.code = calloc(most, sizeof(struct sock_filter))};
    if (program.code == NULL) return ENOMEM;
    emit_head(&program);
    for (size_t i = 0; i < count; i++) emit_row(&program, &rows[i]);
    answer(&program, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog loaded = {.len = program.length, .filter = program.code};
    // TSYNC: without it, threads that a library has already started would be unrestricted.
    unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC;
    if (listener != NULL) flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &loaded);
    int error = result < 0 ? errno : 0;
    free(program.code);
    if (error != 0) return error;
    // Without a listener, a positive result is the ID of a thread that could not be synchronized, because its filters
    // diverge from ours; with one, that is an error (ESRCH).
    if (listener == NULL) return result > 0 ? EBUSY : 0;
    *listener = (int)result;
    return 0;
}
