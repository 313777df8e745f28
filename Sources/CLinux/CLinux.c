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

void *clinux_memmem(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
    return memmem(bytes, count, wanted, wanted_count);
}
