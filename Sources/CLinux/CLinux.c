#define _GNU_SOURCE
#include "CLinux.h"

#include <string.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/vfs.h>

_Static_assert(010000000 == O_PATH, "CLINUX_O_PATH is O_PATH");

int64_t clinux_file_system_type(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}

int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(listener, address, length, flags);
}

ssize_t clinux_pread_cached(int file, void *buffer, size_t count, int64_t offset) {
    struct iovec vector = {.iov_base = buffer, .iov_len = count};
    return preadv2(file, &vector, 1, (off_t)offset, RWF_NOWAIT);
}

// The characters that are common in file names, most frequent first. Any other byte is rarer than all of these.
static const char frequent[] = "\n 0eain1ortslg_2m3d45c6p7u89hbfykjvwx.";

static size_t rarity(char byte) {
    const char *found = memchr(frequent, byte, sizeof frequent - 1);
    return found == NULL ? sizeof frequent : (size_t)(found - frequent);
}

const void *clinux_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
    const char *text = bytes, *word = wanted;
    if (wanted_count == 0) return bytes;
    if (wanted_count > count) return NULL;
    size_t rarest = 0;
    for (size_t place = 1; place < wanted_count; place++) {
        if (rarity(word[place]) > rarity(word[rarest])) rarest = place;
    }
    const char *end = text + count - wanted_count + rarest + 1;
    size_t misses = 0;
    for (const char *at = text + rarest; at < end; at++) {
        at = memchr(at, word[rarest], (size_t)(end - at));
        if (at == NULL) return NULL;
        const char *start = at - rarest;
        if (memcmp(start, word, wanted_count) == 0) return start;
        // This byte is common in this text after all, so memmem is faster.
        if (++misses > 64 + (size_t)(start - text) / 16) {
            return memmem(start + 1, count - (size_t)(start + 1 - text), wanted, wanted_count);
        }
    }
    return NULL;
}
