/// Linux calls that Swift's Glibc module does not carry.
#ifndef CLINUX_H
#define CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// `openat2(2)`, which glibc does not wrap: opens `path` beneath the directory `root` under the
/// `RESOLVE_…` flags given. Returns a descriptor, or -1 with `errno` set.
static inline int clinux_openat2(int root, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/// `accept4(2)`: declared by glibc only under `_GNU_SOURCE`, so Swift does not see it.
int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

#endif
