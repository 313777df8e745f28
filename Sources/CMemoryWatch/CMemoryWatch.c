#include "CMemoryWatch.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void (*_Atomic watcher)(size_t bytes);

void cmemorywatch_start(void (*refused)(size_t bytes)) { atomic_store(&watcher, refused); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define REPLACED_ALREADY
#endif
#endif

#ifndef REPLACED_ALREADY

// Exported although nothing in the executable calls them: the shared libraries do.
#define REPLACES __attribute__((visibility("default"), used))

// glibc's own functions, under names that are not replaced. glibc's free accepts what they return, and is not replaced.
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/// Set while the callback runs on this thread. In an executable, it lies in the thread's static TLS, so accessing it
/// allocates nothing.
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

/// A zero-byte allocation may return NULL without having failed.
static inline void *told(void *memory, size_t bytes) {
    if (__builtin_expect(memory == NULL, 0) && bytes > 0) tell(bytes);
    return memory;
}

/// All of it, as realloc counts on.
static inline void *cleared(void *memory) {
    return memory == NULL ? NULL : memset(memory, 0, malloc_usable_size(memory));
}

/// Up to this size, clearing costs less than the slower path of calloc, which knows what is clear already.
enum { cleared_by_hand = 65536 };

REPLACES void *malloc(size_t bytes) {
    if (bytes > cleared_by_hand) return told(__libc_calloc(1, bytes), bytes);
    return cleared(told(__libc_malloc(bytes), bytes));
}

REPLACES void *calloc(size_t count, size_t size) {
    void *memory = __libc_calloc(count, size);
    if (__builtin_expect(memory == NULL, 0)) {
        size_t bytes;
        told(NULL, __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
    }
    return memory;
}

REPLACES void *realloc(void *memory, size_t bytes) {
    if (memory == NULL) return malloc(bytes);
    size_t before = malloc_usable_size(memory);
    char *resized = told(__libc_realloc(memory, bytes), bytes);
    size_t after = resized == NULL ? 0 : malloc_usable_size(resized);
    if (after > before) memset(resized + before, 0, after - before);
    return resized;
}

REPLACES void *memalign(size_t alignment, size_t bytes) {
    return cleared(told(__libc_memalign(alignment, bytes), bytes));
}

REPLACES void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

REPLACES int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    // posix_memalign returns its error and leaves errno alone.
    int error = errno;
    void *allocated = memalign(alignment, bytes);
    errno = error;
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}

#endif
