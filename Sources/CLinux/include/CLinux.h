/// Linux calls that Swift's Glibc module does not expose.
#ifndef CLINUX_H
#define CLINUX_H

// Functions that need _GNU_SOURCE are declared here and defined in CLinux.c. If this header defined _GNU_SOURCE, its
// libc types would differ from those that Swift's Glibc and Dispatch modules see.
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
#include <sys/types.h>
#include <unistd.h>

/// `O_PATH` of `open(2)`: a handle on a location in the file system, without access to its contents.
static const int CLINUX_O_PATH = 010000000;

/// `openat2(2)`, which glibc does not wrap: opens `path` beneath the directory `root` under the
/// `RESOLVE_…` flags given. Returns a descriptor, or -1 with `errno` set.
static inline int clinux_openat2(int root, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/// `fstatfs(2)`: the type of the file system that holds the descriptor's file (`…_SUPER_MAGIC`), or -1 with `errno`
/// set.
int64_t clinux_file_system_type(int descriptor);

/// `accept4(2)`: declared by glibc only under `_GNU_SOURCE`, so Swift does not see it.
int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/// `preadv2(2)` with `RWF_NOWAIT`: reads what is in the page cache and never waits for a disk. Returns the bytes
/// read, or -1 with `errno` `EAGAIN` (not in memory) or `EOPNOTSUPP` (the file system can't do this).
ssize_t clinux_pread_cached(int file, void *buffer, size_t count, int64_t offset);

/// The first occurrence of `wanted` in `bytes`, or null, as `memmem(3)`. Optimized for long texts of file names and
/// words: it searches for the rarest byte of `wanted` with `memchr(3)`, which examines many bytes at a time.
const void *clinux_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

/// The arguments of ``clinux_spawn``: a program's path, its arguments and environment, and the descriptors it gets.
struct clinux_spawn {
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// Becomes the child's descriptor 3.
    int channel;
    /// Becomes the child's standard output and error; standard input is /dev/null.
    int errors;
};

/// `posix_spawn(3)` of a process with only these descriptors, no blocked or ignored signals, and a process group of
/// its own, so that Ctrl-C in the terminal does not reach it. Returns 0 or an errno.
int clinux_spawn(const struct clinux_spawn *what, pid_t *process);

/// `pidfd_open(2)`: a descriptor that becomes readable when the process ends, or -1 with `errno` set.
int clinux_pidfd_open(pid_t process);

/// `waitid(2)` on a pidfd without waiting. Returns 0 if the process is still running; 1 if it has ended, with
/// `*status` set to its exit code or to minus the number of the signal that killed it; or -1 with `errno` set.
int clinux_pidfd_reap(int pidfd, int *status);

/// `pidfd_send_signal(2)`: signals this process, never another that has reused its PID. Returns 0, or -1 with `errno`
/// set.
int clinux_pidfd_kill(int pidfd, int signal);

/// The most descriptors that one packet can carry.
#define CLINUX_MOST_DESCRIPTORS 16

/// `sendmsg(2)` of one packet with `number` descriptors. Never blocks and never raises SIGPIPE. More than
/// `CLINUX_MOST_DESCRIPTORS` descriptors fail with EINVAL.
ssize_t clinux_send_packet(int channel, const void *bytes, size_t count, const int *descriptors, size_t number);

/// `recvmsg(2)` of one packet and its descriptors, which are set to close on exec; `*number` receives their count.
/// `descriptors` must have room for `CLINUX_MOST_DESCRIPTORS`; pass NULL to accept none. A packet that is longer than
/// `capacity` or carries more descriptors than accepted fails with EMSGSIZE, and all its descriptors are closed.
ssize_t clinux_receive_packet(int channel, void *bytes, size_t capacity, int flags, int *descriptors, size_t *number);

/// `pipe2(2)`: declared by glibc only under `_GNU_SOURCE`.
int clinux_pipe(int ends[2], int flags);

/// `memfd_create(2)`, closed on exec.
int clinux_memory_file(const char *name);

/// The path of the shared library that contains this address (`dladdr(3)`), or NULL.
const char *clinux_library_path(const void *address);

/// Returns free memory to the system (`malloc_trim(3)`) if there is much of it. Returns the bytes that the allocator
/// holds afterwards (`mallinfo2(3)`).
size_t clinux_trim_memory(void);

#endif
