/// The decoder of libwebp, which libvips links too.
#ifndef CWEBP_H
#define CWEBP_H

#include <webp/decode.h>

#endif
