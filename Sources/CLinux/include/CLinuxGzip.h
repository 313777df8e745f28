/// gzip compression in one call of zlib, which every Linux that Tessera supports has.
#ifndef CLINUX_GZIP_H
#define CLINUX_GZIP_H

#include <stddef.h>
#include <stdint.h>

/// Compresses `count` bytes at `source` into `target` as gzip, at `level` 1 (fastest) to 9 (smallest). Returns the
/// length of the result, or 0 if it would exceed `capacity`.
size_t clinux_gzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int level);

/// Decompresses the first member of the gzip file of `count` bytes at `source`, as far as its result fits into `target`.
/// Returns the length of the result. `ended` becomes 1 if that is all of it, 0 if there is more, or the file is cut,
/// and -1 if the file is damaged behind it.
size_t clinux_gunzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int *ended);

#endif
