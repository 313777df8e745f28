/// libtiff, which libvips links too.
#ifndef CTIFF_H
#define CTIFF_H

#include <tiffio.h>

#endif
