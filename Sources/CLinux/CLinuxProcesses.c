#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int clinux_spawn(const struct clinux_spawn *what, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    // Duplicated above every number assigned below, so that no dup2 overwrites a descriptor before it is used.
    int channel = fcntl(what->channel, F_DUPFD_CLOEXEC, 10), errors = fcntl(what->errors, F_DUPFD_CLOEXEC, 10);
    if (channel < 0 || errors < 0) result = errno;
    if (result == 0 && (result = posix_spawn_file_actions_adddup2(&actions, channel, 3)) == 0
        && (result = posix_spawn_file_actions_adddup2(&actions, errors, 2)) == 0
        && (result = posix_spawn_file_actions_adddup2(&actions, 2, 1)) == 0
        && (result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (result = posix_spawn_file_actions_addclosefrom_np(&actions, 4)) == 0
        && (result = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (result = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (result = posix_spawnattr_setpgroup(&attributes, 0)) == 0
        && (result = posix_spawnattr_setflags(
                &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)) == 0) {
        result = posix_spawn(process, what->path, &actions, &attributes, what->arguments, what->environment);
    }
    if (channel >= 0) close(channel);
    if (errors >= 0) close(errors);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

int clinux_pidfd_open(pid_t process) {
    // pidfd_open(2) sets close-on-exec by itself.
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int clinux_pidfd_reap(int pidfd, int *status) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) != 0) return -1;
    if (info.si_pid == 0) return 0;
    *status = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
    return 1;
}

int clinux_pidfd_kill(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

// Aligned as the kernel requires.
union packet_control {
    struct cmsghdr header;
    char space[CMSG_SPACE(CLINUX_MOST_DESCRIPTORS * sizeof(int))];
};

ssize_t clinux_send_packet(int channel, const void *bytes, size_t count, const int *descriptors, size_t number) {
    if (number > CLINUX_MOST_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    union packet_control control;
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (number > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(number * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(number * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, number * sizeof(int));
    }
    return sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t clinux_receive_packet(int channel, void *bytes, size_t capacity, int flags, int *descriptors, size_t *number) {
    struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
    union packet_control control;
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (number != NULL) *number = 0;
    if (descriptors != NULL) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.space;
    }
    ssize_t count = recvmsg(channel, &message, flags | MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    size_t taken = 0;
    bool is_too_much = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < found; index++) {
            int one;
            memcpy(&one, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            // Because of alignment, the buffer can hold one descriptor more than requested.
            if (taken < CLINUX_MOST_DESCRIPTORS) {
                descriptors[taken++] = one;
            } else {
                close(one);
                is_too_much = true;
            }
        }
    }
    if (is_too_much) {
        for (size_t index = 0; index < taken; index++) close(descriptors[index]);
        errno = EMSGSIZE;
        return -1;
    }
    if (number != NULL) *number = taken;
    return count;
}

int clinux_pipe(int ends[2], int flags) { return pipe2(ends, flags); }

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

size_t clinux_trim_memory(void) {
    struct mallinfo2 now = mallinfo2();
    // Less free memory than this is soon reused.
    if (now.fordblks > (size_t)16 << 20) {
        malloc_trim(0);
        now = mallinfo2();
    }
    return now.uordblks + now.hblkhd + (now.fordblks > now.keepcost ? now.fordblks - now.keepcost : 0);
}

const char *clinux_library_path(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fname : NULL;
}
