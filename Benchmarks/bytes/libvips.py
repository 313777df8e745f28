"""libvips in this process, so that the measured time is the encoder's own, without a program's start. The files are
the same as a render worker's: same library, same options."""

import ctypes
import os

# Suppresses a warning about unusable colour primaries, which libvips would print for each AVIF.
os.environ["VIPS_WARNING"] = "0"
# As in a render worker.
os.environ["VIPS_CONCURRENCY"] = "1"

# Values of VipsInterpretation, VipsKernel and VipsBandFormat.
_SRGB, _LINEAR, _UCHAR = 22, 1, 0


def _library():
    library = ctypes.CDLL("libvips.so.42")
    for name in ("vips_image_new_from_file", "vips_image_new_from_buffer", "vips_image_new_from_memory_copy",
                 "vips_image_write_to_memory"):
        getattr(library, name).restype = ctypes.c_void_p
    library.vips_error_buffer.restype = ctypes.c_char_p
    if library.vips_init(b"bench"):
        raise RuntimeError("libvips does not start")
    library.vips_cache_set_max(0)
    return library


_vips = _library()


class Picture:
    """Pixels in memory: red, green and blue, eight bits each."""

    def __init__(self, handle: int | None):
        if not handle:
            raise RuntimeError(_vips.vips_error_buffer().decode())
        self._handle = ctypes.c_void_p(handle)

    def __del__(self):
        if hasattr(self, "_handle"):
            _vips.g_object_unref(self._handle)

    @classmethod
    def of(cls, file) -> "Picture":
        """The picture in a file, upright."""
        stored = cls(_vips.vips_image_new_from_file(str(file).encode(), None))
        return stored._made("autorot")._made("colourspace", _SRGB)

    @classmethod
    def decoded(cls, file: bytes) -> "Picture":
        stored = cls(_vips.vips_image_new_from_buffer(file, ctypes.c_size_t(len(file)), b"", None))
        return stored._made("colourspace", _SRGB)._in_memory()

    def _made(self, operation: str, *words) -> "Picture":
        out = ctypes.c_void_p()
        if getattr(_vips, f"vips_{operation}")(self._handle, ctypes.byref(out), *words, None):
            raise RuntimeError(_vips.vips_error_buffer().decode())
        return Picture(out.value)

    def _in_memory(self) -> "Picture":
        """Computes the pixels once, and drops everything else: libvips 8.14 leaves a colour profile in a WebP even
        if told to strip it."""
        width, height = self.size
        count = ctypes.c_size_t()
        pixels = _vips.vips_image_write_to_memory(self._handle, ctypes.byref(count))
        if not pixels or count.value != 3 * width * height:
            raise RuntimeError(f"{count.value} bytes of {width} x {height} pixels")
        try:
            return Picture(_vips.vips_image_new_from_memory_copy(
                ctypes.c_void_p(pixels), count, width, height, 3, _UCHAR))._made("copy", b"interpretation", _SRGB)
        finally:
            _vips.g_free(ctypes.c_void_p(pixels))

    @property
    def size(self) -> tuple[int, int]:
        return _vips.vips_image_get_width(self._handle), _vips.vips_image_get_height(self._handle)

    def part(self, left: int, top: int, width: int, height: int) -> "Picture":
        return self._made("extract_area", left, top, width, height)

    def within(self, side: int) -> "Picture":
        """Shrunk to at most this many pixels per side, like renditions."""
        return self._made("thumbnail_image", side, b"height", side)._in_memory()

    def enlarged(self, times: int) -> "Picture":
        """Enlarged as a browser does where a preview stands in for a tile."""
        return self._made("resize", ctypes.c_double(times), b"kernel", _LINEAR)._in_memory()

    def encoded(self, suffix: str) -> bytes:
        """The file that libvips would write to a name with this suffix and these options: ".webp[Q=75]"."""
        content, count = ctypes.c_void_p(), ctypes.c_size_t()
        if _vips.vips_image_write_to_buffer(
                self._handle, suffix.encode(), ctypes.byref(content), ctypes.byref(count), None):
            raise RuntimeError(_vips.vips_error_buffer().decode())
        try:
            return ctypes.string_at(content, count.value)
        finally:
            _vips.g_free(content)
