#include "CLinuxGzip.h"

#include <limits.h>
#include <zlib.h>

size_t clinux_gzip(const uint8_t *source, size_t count, uint8_t *target, size_t capacity, int level) {
    if (count > UINT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream = {0};
    // 15 bits of window, and 16 more for gzip's frame; memory as zlib itself would choose: more finds no more.
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
