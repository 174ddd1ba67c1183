/* Preloaded into the command by the tests: kills it, interrupts it, or makes the disk fail, at a place that a test
 * names by a number and not by the clock. Only calls on paths below ONEFOLD_SHIM_DIR count.
 *
 *   ONEFOLD_SHIM_STEPS=FILE   append a byte to FILE for every step (creating, renaming, removing, syncing)
 *   ONEFOLD_SHIM_SIGNAL=S     with ONEFOLD_SHIM_AT=N: send signal S to the process before step N
 *   ONEFOLD_SHIM_ROOM=BYTES   writes below the folder fail with ENOSPC once so many bytes were written
 *   ONEFOLD_SHIM_BROKEN=PART  reads of files with PART in their path fail with EIO behind ONEFOLD_SHIM_GOOD bytes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long steps, written;

static const char *root(void) {
    return getenv("ONEFOLD_SHIM_DIR");
}

static int inside(const char *path) {
    return root() && path && strncmp(path, root(), strlen(root())) == 0;
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return 1;
}

static int fd_inside(int fd) {
    char path[4096];
    return root() && path_of(fd, path, sizeof path) && inside(path);
}

static void absolute(const char *path, char *full, size_t size) {
    char folder[4096];
    if (path[0] == '/' || !getcwd(folder, sizeof folder))
        snprintf(full, size, "%s", path);
    else
        snprintf(full, size, "%s/%s", folder, path);
}

static void step(const char *path) {
    char full[8192];
    absolute(path, full, sizeof full);
    if (!inside(full))
        return;
    long number = __sync_add_and_fetch(&steps, 1);
    const char *log = getenv("ONEFOLD_SHIM_STEPS");
    if (log) {
        int fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        syscall(SYS_write, fd, ".", 1);
        syscall(SYS_close, fd);
    }
    const char *sign = getenv("ONEFOLD_SHIM_SIGNAL");
    const char *at = getenv("ONEFOLD_SHIM_AT");
    if (sign && at && number == atol(at)) {
        kill(getpid(), atoi(sign));
        /* A thread of the command's own takes note of it: the step waits until that had its turn. */
        usleep(300000);
    }
}

static void step_fd(int fd) {
    char path[4096];
    if (root() && path_of(fd, path, sizeof path))
        step(path);
}

/* Bytes of a write that still fit; -1 when the disk is full. */
static ssize_t room(int fd, size_t wanted) {
    const char *limit = getenv("ONEFOLD_SHIM_ROOM");
    if (!limit || !fd_inside(fd))
        return wanted;
    long before = __sync_fetch_and_add(&written, (long)wanted);
    long left = atol(limit) - before;
    if (left >= (long)wanted)
        return wanted;
    if (left > 0)
        return left;
    errno = ENOSPC;
    return -1;
}

/* Whether a read at this place of the file fails. */
static int broken(int fd, off_t at) {
    const char *part = getenv("ONEFOLD_SHIM_BROKEN");
    const char *good = getenv("ONEFOLD_SHIM_GOOD");
    char path[4096];
    if (!part || !path_of(fd, path, sizeof path) || !strstr(path, part))
        return 0;
    if (at < 0)
        at = lseek(fd, 0, SEEK_CUR);
    if (at < (good ? atol(good) : 0))
        return 0;
    errno = EIO;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int rename(const char *from, const char *to) {
    step(to);
    return NEXT(rename)(from, to);
}

int unlink(const char *path) {
    step(path);
    return NEXT(unlink)(path);
}

int rmdir(const char *path) {
    step(path);
    return NEXT(rmdir)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    step_fd(folder);
    return NEXT(unlinkat)(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
    step(path);
    return NEXT(mkdir)(path, mode);
}

int fsync(int fd) {
    step_fd(fd);
    return NEXT(fsync)(fd);
}

int fdatasync(int fd) {
    step_fd(fd);
    return NEXT(fdatasync)(fd);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    if (flags & O_CREAT)
        step(path);
    return NEXT(open64)(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t fits = room(fd, count);
    return fits < 0 ? -1 : NEXT(write)(fd, bytes, fits);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    size_t wanted = 0;
    for (int i = 0; i < count; i++)
        wanted += parts[i].iov_len;
    ssize_t fits = room(fd, wanted);
    if (fits < 0)
        return -1;
    if ((size_t)fits < wanted) {
        size_t first = parts[0].iov_len < (size_t)fits ? parts[0].iov_len : (size_t)fits;
        return NEXT(write)(fd, parts[0].iov_base, first);
    }
    return NEXT(writev)(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    ssize_t fits = room(fd, count);
    return fits < 0 ? -1 : NEXT(pwrite64)(fd, bytes, fits, at);
}

ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t count, unsigned flags) {
    /* The standard library asks for 2 GB at a time and lets the kernel find the end. */
    if (broken(in, in_at ? *in_at : -1))
        return -1;
    if (getenv("ONEFOLD_SHIM_ROOM") || getenv("ONEFOLD_SHIM_BROKEN")) {
        errno = ENOSYS;
        return -1;
    }
    return NEXT(copy_file_range)(in, in_at, out, out_at, count, flags);
}

ssize_t sendfile64(int out, int in, off64_t *at, size_t count) {
    if (broken(in, at ? *at : -1))
        return -1;
    if (getenv("ONEFOLD_SHIM_ROOM") || getenv("ONEFOLD_SHIM_BROKEN")) {
        errno = ENOSYS;
        return -1;
    }
    return NEXT(sendfile64)(out, in, at, count);
}

ssize_t read(int fd, void *bytes, size_t count) {
    return broken(fd, -1) ? -1 : NEXT(read)(fd, bytes, count);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
    return broken(fd, at) ? -1 : NEXT(pread64)(fd, bytes, count, at);
}
