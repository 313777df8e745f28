/// libtiff, which libvips links too.
#ifndef CTIFF_H
#define CTIFF_H

#include <tiffio.h>

/// Whether libtiff reads this size from the current directory. Returns 1 or 0.
static inline int ctiff_has_size(TIFF *tiff, uint32_t width, uint32_t height) {
    uint32_t its_width = 0, its_height = 0;
    return TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &its_width) == 1
        && TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &its_height) == 1 && its_width == width && its_height == height;
}

#endif
