/// The decoder of Brotli (RFC 7932).
#ifndef CBROTLIDECODER_H
#define CBROTLIDECODER_H

#include <brotli/decode.h>

#endif
