/// The media types of a web page's files, by file name extension.
enum MediaTypes {
    private static let types: [String: (type: String, isCompressible: Bool)] = [
        "html": ("text/html; charset=utf-8", true),
        "css": ("text/css; charset=utf-8", true),
        "js": ("text/javascript; charset=utf-8", true),
        "mjs": ("text/javascript; charset=utf-8", true),
        "json": ("application/json", true),
        "map": ("application/json", true),
        "webmanifest": ("application/manifest+json", true),
        "txt": ("text/plain; charset=utf-8", true),
        "md": ("text/markdown; charset=utf-8", true),
        "xml": ("application/xml", true),
        "svg": ("image/svg+xml", true),
        "ico": ("image/vnd.microsoft.icon", true),
        "wasm": ("application/wasm", true),
        "png": ("image/png", false),
        "jpg": ("image/jpeg", false),
        "jpeg": ("image/jpeg", false),
        "gif": ("image/gif", false),
        "webp": ("image/webp", false),
        "avif": ("image/avif", false),
        "woff2": ("font/woff2", false),
        "woff": ("font/woff", false),
        "pdf": ("application/pdf", false),
    ]

    /// The media type of a file of this name, and whether the file is worth compressing.
    static func of(_ name: String) -> (type: String, isCompressible: Bool) {
        let end = name.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
        return types[end] ?? ("application/octet-stream", false)
    }
}
