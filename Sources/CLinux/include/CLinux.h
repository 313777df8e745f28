/// Linux calls that Swift's Glibc module does not carry.
#ifndef CLINUX_H
#define CLINUX_H

// What needs _GNU_SOURCE is declared here and wrapped in CLinux.c: were it defined in this header, the types of libc
// would differ from those that Swift's Glibc and Dispatch modules see.
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// `O_PATH` of `open(2)`: a handle on a place in the file system that reads nothing.
static const int CLINUX_O_PATH = 010000000;

/// `openat2(2)`, which glibc does not wrap: opens `path` beneath the directory `root` under the
/// `RESOLVE_…` flags given. Returns a descriptor, or -1 with `errno` set.
static inline int clinux_openat2(int root, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/// `accept4(2)`: declared by glibc only under `_GNU_SOURCE`, so Swift does not see it.
int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/// `preadv2(2)` with `RWF_NOWAIT`: reads what is in the page cache and never waits for a disk. Returns the bytes read,
/// or -1 with `errno` `EAGAIN` (not in memory) or `EOPNOTSUPP` (a file system that cannot tell).
ssize_t clinux_pread_cached(int file, void *buffer, size_t count, int64_t offset);

#endif
