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
#include <sys/types.h>
#include <unistd.h>

/// `O_PATH` of `open(2)`: a handle on a place in the file system that reads nothing.
static const int CLINUX_O_PATH = 010000000;

/// `openat2(2)`, which glibc does not wrap: opens `path` beneath the directory `root` under the
/// `RESOLVE_…` flags given. Returns a descriptor, or -1 with `errno` set.
static inline int clinux_openat2(int root, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

/// `fstatfs(2)`: the type of the file system that the descriptor lies in (`…_SUPER_MAGIC`), or -1 with `errno` set.
int64_t clinux_file_system_type(int descriptor);

/// `accept4(2)`: declared by glibc only under `_GNU_SOURCE`, so Swift does not see it.
int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/// `preadv2(2)` with `RWF_NOWAIT`: reads what is in the page cache and never waits for a disk. Returns the bytes read,
/// or -1 with `errno` `EAGAIN` (not in memory) or `EOPNOTSUPP` (a file system that cannot tell).
ssize_t clinux_pread_cached(int file, void *buffer, size_t count, int64_t offset);

/// The first occurrence of `wanted` in `bytes`, or null, as `memmem(3)`. For long texts of names and words: looks for the
/// rarest byte of `wanted` first, by `memchr(3)`, which takes many bytes at a time.
const void *clinux_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

/// The path of the program, descriptors and words of a process to be started by ``clinux_spawn``.
struct clinux_spawn {
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// Becomes the child's descriptor 3.
    int channel;
    /// Becomes its standard output and error; its input is nothing.
    int errors;
};

/// `posix_spawn(3)` of a process that has just these descriptors, no signals blocked or ignored, and a process group of
/// its own, so that what is typed at the terminal does not reach it. Returns 0 or an errno.
int clinux_spawn(const struct clinux_spawn *what, pid_t *process);

/// `pidfd_open(2)`: a descriptor that becomes readable when the process ends. -1 with `errno` set where there is none.
int clinux_pidfd_open(pid_t process);

/// `waitid(2)` on a pidfd, without waiting. Returns 0 when the process has not ended, else 1, its exit code in `*status`
/// or minus the number of the signal that ended it; -1 with `errno` set.
int clinux_pidfd_reap(int pidfd, int *status);

/// `pidfd_send_signal(2)`: the process that is meant and no other that has its number by now. 0, or -1 with `errno` set.
int clinux_pidfd_kill(int pidfd, int signal);

/// Descriptors that go beside one packet, at most.
#define CLINUX_MOST_DESCRIPTORS 16

/// `sendmsg(2)` of one packet, with `number` descriptors beside it. Never waits, and never a SIGPIPE. More than
/// `CLINUX_MOST_DESCRIPTORS` are an error: EINVAL.
ssize_t clinux_send_packet(int channel, const void *bytes, size_t count, const int *descriptors, size_t number);

/// `recvmsg(2)` of one packet and of the descriptors beside it, which are closed on exec; `*number` says how many there
/// are. `descriptors` has room for `CLINUX_MOST_DESCRIPTORS`; with NULL none is taken. A packet longer than `capacity`,
/// or with more descriptors than are taken, is an error, and none of them stays open: EMSGSIZE.
ssize_t clinux_receive_packet(int channel, void *bytes, size_t capacity, int flags, int *descriptors, size_t *number);

/// `pipe2(2)`: declared by glibc only under `_GNU_SOURCE`.
int clinux_pipe(int ends[2], int flags);

/// `memfd_create(2)`, closed on exec.
int clinux_memory_file(const char *name);

/// The path of the shared library that this address lies in (`dladdr(3)`), or NULL.
const char *clinux_library_path(const void *address);

/// Gives memory that is free back to the system (`malloc_trim(3)`) if there is much of it; returns the bytes that the
/// allocator holds then (`mallinfo2(3)`).
size_t clinux_trim_memory(void);

#endif
