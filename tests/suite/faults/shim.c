/* Makes system calls on database files, or allocations, fail when a test asks for it.
 *
 * Loaded with LD_PRELOAD. The test writes to the file that FAULTS_CONTROL names, which is mapped
 * here: how to fail, at which call from now, and how many calls in a row.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTHING, FULL, BROKEN, UNSYNCED, NO_MEMORY, SHORT_THEN_FULL };

struct control {
    _Atomic int64_t kind, countdown, in_a_row, fired;
};

static struct control *control;
static uintptr_t text_start, text_end;

static int main_program(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            text_start = info->dlpi_addr + part->p_vaddr;
            text_end = text_start + part->p_memsz;
        }
    }
    return 1; /* The first object is the program itself. */
}

__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("FAULTS_CONTROL");
    if (!path) return;
    int fd = open(path, O_RDWR);
    if (fd < 0) return;
    dl_iterate_phdr(main_program, NULL);
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) control = mapped;
    close(fd);
}

static int64_t armed(void) { return control ? atomic_load(&control->kind) : NOTHING; }

/* True if this call must fail. Advances the countdown to the failing calls. */
static int strikes(void) {
    int64_t left = atomic_fetch_sub(&control->countdown, 1);
    if (left > 1 || left <= 1 - atomic_load(&control->in_a_row)) return 0;
    atomic_fetch_add(&control->fired, 1);
    return 1;
}

static int is_database(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".db") != NULL;
}

/* The number of bytes to write; -1 with errno set if the call must fail. */
static ssize_t allowed(int fd, size_t count) {
    int64_t kind = armed();
    if ((kind != FULL && kind != BROKEN && kind != SHORT_THEN_FULL) || !is_database(fd)) return count;
    if (!strikes()) return count;
    if (kind == SHORT_THEN_FULL && count > 1 && atomic_load(&control->fired) % 2 == 1) return count / 2;
    errno = kind == BROKEN ? EIO : ENOSPC;
    return -1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) {
    static __typeof__(&write) real;
    if (!real) real = REAL(write);
    ssize_t some = allowed(fd, count);
    return some < 0 ? -1 : real(fd, bytes, some);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    static __typeof__(&pwrite64) real;
    if (!real) real = REAL(pwrite64);
    ssize_t some = allowed(fd, count);
    return some < 0 ? -1 : real(fd, bytes, some, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    return pwrite64(fd, bytes, count, offset);
}

int ftruncate64(int fd, off64_t length) {
    static __typeof__(&ftruncate64) real;
    if (!real) real = REAL(ftruncate64);
    return allowed(fd, 1) < 0 ? -1 : real(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int posix_fallocate(int fd, off_t offset, off_t length) {
    static __typeof__(&posix_fallocate) real;
    if (!real) real = REAL(posix_fallocate);
    return allowed(fd, 1) < 0 ? errno : real(fd, offset, length);
}

static int unsynced(int fd) {
    if (armed() != UNSYNCED || !is_database(fd) || !strikes()) return 0;
    errno = EIO;
    return 1;
}

int fsync(int fd) {
    static __typeof__(&fsync) real;
    if (!real) real = REAL(fsync);
    return unsynced(fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
    static __typeof__(&fdatasync) real;
    if (!real) real = REAL(fdatasync);
    return unsynced(fd) ? -1 : real(fd);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *old, size_t size);

/* True if this allocation must fail. Only allocations of the program's own C code fail, which is the
 * database. Rust does not allocate from this text section, except for small thread handles, and the
 * C library and the loader have text sections of their own. */
static int starved(const void *caller, size_t size) {
    uintptr_t from = (uintptr_t)caller;
    if (armed() != NO_MEMORY || size < 256 || from < text_start || from >= text_end) return 0;
    if (!strikes()) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return starved(__builtin_return_address(0), size) ? NULL : __libc_malloc(size);
}

void *realloc(void *old, size_t size) {
    return starved(__builtin_return_address(0), size) ? NULL : __libc_realloc(old, size);
}
