#include "CMemoryWatch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static void (*_Atomic watcher)(size_t bytes);

void cmemorywatch_start(void (*refused)(size_t bytes)) { atomic_store(&watcher, refused); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define REPLACED_ALREADY
#endif
#endif

#ifndef REPLACED_ALREADY

// Exported even if nothing in the executable calls it: the shared libraries do.
#define REPLACES __attribute__((visibility("default"), used))

// glibc's functions, by the names that stay with them. Its free takes what they return, and is not replaced.
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/// Set while the watcher runs on this thread. In an executable it lies beside the thread's stack: nothing is allocated.
static _Thread_local int telling;

static __attribute__((noinline, cold)) void tell(size_t bytes) {
    void (*refused)(size_t) = atomic_load(&watcher);
    if (refused == NULL || telling) return;
    int error = errno;
    telling = 1;
    refused(bytes);
    telling = 0;
    errno = error;
}

/// An allocation of nothing may be NULL and was not refused.
static inline void *told(void *memory, size_t bytes) {
    if (__builtin_expect(memory == NULL, 0) && bytes > 0) tell(bytes);
    return memory;
}

REPLACES void *malloc(size_t bytes) { return told(__libc_malloc(bytes), bytes); }

REPLACES void *calloc(size_t count, size_t size) {
    void *memory = __libc_calloc(count, size);
    if (__builtin_expect(memory == NULL, 0)) {
        size_t bytes;
        told(NULL, __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
    }
    return memory;
}

REPLACES void *realloc(void *memory, size_t bytes) { return told(__libc_realloc(memory, bytes), bytes); }

REPLACES void *memalign(size_t alignment, size_t bytes) { return told(__libc_memalign(alignment, bytes), bytes); }

REPLACES void *aligned_alloc(size_t alignment, size_t bytes) { return told(__libc_memalign(alignment, bytes), bytes); }

REPLACES int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    // It returns its error, and leaves errno alone.
    int error = errno;
    void *allocated = told(__libc_memalign(alignment, bytes), bytes);
    errno = error;
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}

#endif
