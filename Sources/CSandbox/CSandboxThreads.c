#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/// The kernel's structures may grow from version to version (SECCOMP_GET_NOTIF_SIZES). They have 80 and 24 bytes now.
#define ROOM 1024

/// What the task directory's links are besides those for threads: one from itself, one from its parent.
#define OTHER_LINKS 2

int csandbox_open_tasks(void) { return open("/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC); }

int csandbox_answer_thread_request(int listener, int tasks, unsigned int limit) {
    union {
        struct seccomp_notif notice;
        char room[ROOM];
    } request;
    union {
        struct seccomp_notif_resp notice;
        char room[ROOM];
    } response;
    memset(&request, 0, sizeof request);
    memset(&response, 0, sizeof response);
    // ENOENT: the thread that asked has been killed or interrupted since.
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return errno == ENOENT ? 0 : errno;
    struct stat directory;
    int error = fstat(tasks, &directory) == 0 ? 0 : errno;
    if (error == 0 && directory.st_nlink >= (nlink_t)limit + OTHER_LINKS) error = EAGAIN;
    response.notice.id = request.notice.id;
    // The filter has examined the flags, which are in a register: they can't change any more.
    if (error == 0) response.notice.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (error != 0) response.notice.error = -EAGAIN;
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0 && errno != ENOENT) return errno;
    return error;
}
