/// libvips for Swift. What is wrapped here is variadic or a macro and nothing else: one operation each.
#ifndef CVIPS_H
#define CVIPS_H

#include <gmodule.h>
#include <vips/vips.h>
#include <vips/vector.h>

/// An address within libvips.
static inline const void *cvips_somewhere(void) { return (const void *)vips_version_string; }

/// Copies up to `length` bytes to `buffer`; 0 at the end, -1 to give up.
typedef gint64 (*CVipsRead)(void *source, void *buffer, gint64 length, void *context);
/// As lseek(2).
typedef gint64 (*CVipsSeek)(void *source, gint64 offset, int whence, void *context);
/// Called once for each connection, when nothing can use `context` through it any more.
typedef void (*CVipsRelease)(void *context, GClosure *closure);

/// A source that reads through functions; `release` is called twice with the same `context`, when the source ends.
static inline VipsSource *cvips_source_new(CVipsRead read, CVipsSeek seek, void *context, CVipsRelease release) {
    VipsSourceCustom *source = vips_source_custom_new();
    if (source == NULL) return NULL;
    g_signal_connect_data(source, "read", G_CALLBACK(read), context, release, 0);
    g_signal_connect_data(source, "seek", G_CALLBACK(seek), context, release, 0);
    return VIPS_SOURCE(source);
}

static inline VipsImage *cvips_image_open(VipsSource *source, VipsFailOn fail_on) {
    return vips_image_new_from_source(
        source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, NULL);
}

/// Leaves the orientation alone. `options` go to the loader ("[fail_on=truncated]"): libvips 8.14 does not pass this
/// operation's own `fail_on` on to it. `export_profile` may be NULL: then an embedded profile is not looked at.
static inline int cvips_thumbnail_source(
    VipsSource *source, VipsImage **out, int side, VipsSize size, const char *options, const char *export_profile) {
    return export_profile == NULL
        ? vips_thumbnail_source(
              source, out, side, "size", size, "option_string", options, "no_rotate", TRUE, NULL)
        : vips_thumbnail_source(
              source, out, side, "size", size, "option_string", options, "no_rotate", TRUE,
              "export_profile", export_profile, NULL);
}

static inline int cvips_thumbnail_image(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(in, out, side, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL);
}

static inline int cvips_jpegload_buffer(const void *bytes, size_t length, VipsImage **out, VipsFailOn fail_on) {
    return vips_jpegload_buffer((void *)bytes, length, out, "fail_on", fail_on, NULL);
}

static inline int cvips_autorotate(VipsImage *in, VipsImage **out) { return vips_autorot(in, out, NULL); }

static inline int cvips_crop(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_crop(in, out, left, top, width, height, NULL);
}

/// Says what the bands mean; changes no pixel.
static inline int cvips_declare(VipsImage *in, VipsImage **out, VipsInterpretation meaning) {
    return vips_copy(in, out, "interpretation", meaning, NULL);
}

/// Where a row of a region that was prepared begins, from its left edge.
static inline const void *cvips_region_row(VipsRegion *region, int row) {
    return VIPS_REGION_ADDR(region, region->valid.left, row);
}

static inline int cvips_cast_uchar(VipsImage *in, VipsImage **out) { return vips_cast_uchar(in, out, NULL); }

static inline int cvips_extract_bands(VipsImage *in, VipsImage **out, int count) {
    return vips_extract_band(in, out, 0, "n", count, NULL);
}

static inline int cvips_flatten(VipsImage *in, VipsImage **out, const double *background, int bands) {
    VipsArrayDouble *array = vips_array_double_new(background, bands);
    int result = vips_flatten(in, out, "background", array, NULL);
    vips_area_unref(VIPS_AREA(array));
    return result;
}

static inline int cvips_jpegsave(VipsImage *in, void **bytes, size_t *length, int quality) {
    return vips_jpegsave_buffer(in, bytes, length, "Q", quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
}

static inline int cvips_webpsave(VipsImage *in, void **bytes, size_t *length, int quality, int effort) {
    return vips_webpsave_buffer(
        in, bytes, length, "Q", quality, "strip", TRUE, "effort", effort, "alpha_q", quality, NULL);
}

static inline int cvips_avifsave(VipsImage *in, void **bytes, size_t *length, int quality, int effort) {
    return vips_heifsave_buffer(
        in, bytes, length, "Q", quality, "strip", TRUE, "effort", effort,
        "compression", VIPS_FOREIGN_HEIF_COMPRESSION_AV1, NULL);
}

#endif
