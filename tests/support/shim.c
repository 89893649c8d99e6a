/* Makes the n-th call that changes the disk fail, or the last thing that the process does. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

/* Counts a call. Says whether it is the one that must fail; ends the process if it is the one that must be its last. */
static int strikes(const char *what) {
    const char *only = getenv("SHIM_ONLY");
    if (only && !strstr(only, what)) return 0;
    const char *fail = getenv("SHIM_FAIL_AT"), *kill_at = getenv("SHIM_KILL_AT");
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (kill_at && number == atol(kill_at)) kill(getpid(), SIGKILL);
    return fail && number == atol(fail);
}

/* Says at the end how many calls there were. */
__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("SHIM_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld", atomic_load(&calls));
    fclose(file);
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int fsync(int fd) { if (strikes("sync")) { errno = EIO; return -1; } return REAL(int, "fsync", int)(fd); }
int fdatasync(int fd) { if (strikes("sync")) { errno = EIO; return -1; } return REAL(int, "fdatasync", int)(fd); }
int syncfs(int fd) { if (strikes("sync")) { errno = EIO; return -1; } return REAL(int, "syncfs", int)(fd); }
int rename(const char *from, const char *to) {
    if (strikes("rename")) { errno = EIO; return -1; }
    return REAL(int, "rename", const char *, const char *)(from, to);
}
ssize_t write(int fd, const void *bytes, size_t size) {
    if (fd > 2 && strikes("write")) { errno = ENOSPC; return -1; }
    return REAL(ssize_t, "write", int, const void *, size_t)(fd, bytes, size);
}
int mkdir(const char *path, mode_t mode) {
    if (strikes("mkdir")) { errno = EIO; return -1; }
    return REAL(int, "mkdir", const char *, mode_t)(path, mode);
}
int symlink(const char *target, const char *path) {
    if (strikes("symlink")) { errno = EIO; return -1; }
    return REAL(int, "symlink", const char *, const char *)(target, path);
}
/* How folders and what is in them are removed. */
int unlinkat(int folder, const char *path, int flags) {
    if (strikes("remove")) { errno = EIO; return -1; }
    return REAL(int, "unlinkat", int, const char *, int)(folder, path, flags);
}
int rmdir(const char *path) {
    if (strikes("remove")) { errno = EIO; return -1; }
    return REAL(int, "rmdir", const char *)(path);
}
int unlink(const char *path) {
    if (strikes("unlink")) { errno = EIO; return -1; }
    return REAL(int, "unlink", const char *)(path);
}
