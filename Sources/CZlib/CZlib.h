/// zlib, for decompressing piece by piece.
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

/// `inflateInit2`, a macro that Swift does not import.
static inline int czlib_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }

#endif
