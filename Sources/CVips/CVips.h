/// libvips for Swift. Wraps only variadic functions and macros, one operation each.
#ifndef CVIPS_H
#define CVIPS_H

#include <gmodule.h>
#include <vips/vips.h>
#include <vips/vector.h>

/// An address within libvips.
static inline const void *cvips_somewhere(void) { return (const void *)vips_version_string; }

/// Copies up to `length` bytes to `buffer`. Returns the count, 0 at the end, or -1 on failure.
typedef gint64 (*CVipsRead)(void *source, void *buffer, gint64 length, void *context);
/// As lseek(2).
typedef gint64 (*CVipsSeek)(void *source, gint64 offset, int whence, void *context);
/// Called once per connected signal, when nothing can use `context` through it any more.
typedef void (*CVipsRelease)(void *context, GClosure *closure);

/// A source that reads through callbacks. When the source ends, `release` is called twice with the same `context`.
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

/// `options` go to the loader ("[page=1]").
static inline VipsImage *cvips_image_open_with(VipsSource *source, const char *options) {
    return vips_image_new_from_source(source, options, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Keeps the orientation as stored. `options` go to the loader ("[fail_on=truncated]"), because libvips 8.14 does not
/// pass this operation's own `fail_on` on to it. If `export_profile` is NULL, an embedded profile is ignored.
static inline int cvips_thumbnail_source(
    VipsSource *source, VipsImage **out, int side, VipsSize size, const char *options, const char *export_profile,
    VipsIntent intent) {
    return export_profile == NULL
        ? vips_thumbnail_source(
              source, out, side, "size", size, "option_string", options, "no_rotate", TRUE, NULL)
        : vips_thumbnail_source(
              source, out, side, "size", size, "option_string", options, "no_rotate", TRUE,
              "export_profile", export_profile, "intent", intent, NULL);
}

/// Opens a JPEG at a half, a quarter or an eighth of its size, whatever the number of libjpeg's warnings.
static inline VipsImage *cvips_jpeg_open(VipsSource *source, VipsFailOn fail_on, int shrink) {
    return vips_image_new_from_source(
        source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, "shrink", shrink, "unlimited",
        TRUE, NULL);
}

/// Converts from the embedded profile.
static inline int cvips_icc_transform(VipsImage *in, VipsImage **out, const char *profile, VipsIntent intent) {
    return vips_icc_transform(in, out, profile, "embedded", TRUE, "intent", intent, NULL);
}

/// Prepares an image that is computed row by row from one of the same size and bands, with bytes of this meaning.
static inline int cvips_prepare_rows(VipsImage *out, VipsImage *in, VipsInterpretation meaning) {
    if (vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL) != 0) return -1;
    out->BandFmt = VIPS_FORMAT_UCHAR;
    out->Type = meaning;
    return 0;
}

/// The address of a pixel of a prepared region.
static inline void *cvips_region_point(VipsRegion *region, int left, int top) {
    return VIPS_REGION_ADDR(region, left, top);
}

static inline int cvips_thumbnail_image(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(in, out, side, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL);
}

/// Shrinks an opened image as `cvips_thumbnail_source` does, unless it is small enough.
static inline int cvips_thumbnail_opened(
    VipsImage *in, VipsImage **out, int side, const char *export_profile, VipsIntent intent) {
    return export_profile == NULL
        ? vips_thumbnail_image(in, out, side, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL)
        : vips_thumbnail_image(
              in, out, side, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, "export_profile", export_profile,
              "intent", intent, NULL);
}

static inline int cvips_jpegload_buffer(const void *bytes, size_t length, VipsImage **out, VipsFailOn fail_on) {
    return vips_jpegload_buffer((void *)bytes, length, out, "fail_on", fail_on, NULL);
}

static inline int cvips_autorotate(VipsImage *in, VipsImage **out) { return vips_autorot(in, out, NULL); }

static inline int cvips_crop(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_crop(in, out, left, top, width, height, NULL);
}

/// Declares what the bands mean; changes no pixel.
static inline int cvips_declare(VipsImage *in, VipsImage **out, VipsInterpretation meaning) {
    return vips_copy(in, out, "interpretation", meaning, NULL);
}

/// The address of a row of a prepared region, at its left edge.
static inline const void *cvips_region_row(VipsRegion *region, int row) {
    return VIPS_REGION_ADDR(region, region->valid.left, row);
}

/// Appends an opaque alpha band.
static inline int cvips_add_alpha(VipsImage *in, VipsImage **out) { return vips_addalpha(in, out, NULL); }

/// A larger image of zeros with `in` at a position.
static inline int cvips_embed(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_embed(in, out, left, top, width, height, "extend", VIPS_EXTEND_BLACK, NULL);
}

/// Multiplies, rounds, and clips to bytes.
static inline int cvips_scale_to_bytes(VipsImage *in, VipsImage **out, double factor) {
    return vips_linear1(in, out, factor, 0.5, "uchar", TRUE, NULL);
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
