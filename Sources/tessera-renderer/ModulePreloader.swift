import Glibc

/// Loads modules that libraries otherwise load on demand, which the sandbox will prevent.
enum ModulePreloader {
    static func load() {
        loadEncodings()
        loadPixbufLoaders()
    }

    /// Text encodings other than UTF-8 and its relatives are modules of the C library. A vector drawing may use any
    /// of these.
    private static let encodings = [
        "ISO-8859-1", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-7", "ISO-8859-9", "ISO-8859-13",
        "ISO-8859-15", "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1257",
        "KOI8-R", "KOI8-U", "SHIFT_JIS", "EUC-JP", "ISO-2022-JP", "GB2312", "GBK", "GB18030", "BIG5", "EUC-KR",
        "UTF-16",
        "UTF-32",
    ]

    /// The descriptors stay open, which keeps the modules loaded.
    private static func loadEncodings() {
        for encoding in encodings { _ = iconv_open("UTF-8", encoding) }
    }

    /// gdk-pixbuf reads the pictures inside a vector drawing, with one module per format, SVG among them.
    private static func loadPixbufLoaders() {
        var found = glob_t()
        defer { globfree(&found) }
        for pattern in ["/usr/lib/*/gdk-pixbuf-2.0/*/loaders/*.so", "/usr/lib*/gdk-pixbuf-2.0/*/loaders/*.so"] {
            guard glob(pattern, 0, nil, &found) == 0 else { continue }
            for index in 0..<Int(found.gl_pathc) {
                if let path = found.gl_pathv[index] { _ = dlopen(path, RTLD_LAZY) }
            }
            return
        }
    }
}
