/// One call of zlib, which is part of every Linux this runs on.
#ifndef CLINUX_GZIP_H
#define CLINUX_GZIP_H

#include <stddef.h>
#include <stdint.h>

/// Compresses `count` bytes at `source` into `target` as gzip at `level`, 1 (quick) to 9 (small). Returns the length of
/// the result, or 0 if it is more than `capacity`.
size_t clinux_gzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int level);

#endif
