#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/uio.h>

int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(listener, address, length, flags);
}

ssize_t clinux_pread_cached(int file, void *buffer, size_t count, int64_t offset) {
    struct iovec vector = {.iov_base = buffer, .iov_len = count};
    return preadv2(file, &vector, 1, (off_t)offset, RWF_NOWAIT);
}
