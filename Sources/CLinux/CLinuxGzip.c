#include "CLinuxGzip.h"

#include <limits.h>
#include <zlib.h>

size_t clinux_gzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int level) {
    if (count > UINT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream = {0};
    // 15 window bits, plus 16 for gzip framing; memory level 8 is zlib's default, and a higher one doesn't compress
    // better.
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)source;
    stream.avail_in = (uInt)count;
    stream.next_out = target;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

size_t clinux_gunzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int *ended) {
    *ended = -1;
    if (count > UINT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return 0;
    stream.next_in = (Bytef *)source;
    stream.avail_in = (uInt)count;
    stream.next_out = target;
    stream.avail_out = (uInt)capacity;
    int result = inflate(&stream, Z_SYNC_FLUSH);
    // Z_BUF_ERROR: there is no more room, or no more input.
    if (result == Z_STREAM_END) *ended = 1;
    else if (result == Z_OK || result == Z_BUF_ERROR) *ended = 0;
    size_t written = stream.total_out;
    inflateEnd(&stream);
    return written;
}
