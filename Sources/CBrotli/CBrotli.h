/// The encoder of Brotli (RFC 7932).
#ifndef CBROTLI_H
#define CBROTLI_H

#include <brotli/encode.h>

#endif
