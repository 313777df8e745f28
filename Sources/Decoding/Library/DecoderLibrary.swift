import CLinux
import CVips
import Glibc
import Images
import Renditions

/// Starts libvips once per process, restricted to the formats of `FileKind`.
enum DecoderLibrary {
    /// Why libvips could not be started, for the log; nil if it is running.
    private static let startFailure: String? = {
        guard vips_init("tessera-renderer") == 0 else { return takeErrorText() }
        loadModules()
        // No operation is ever repeated here, and a cache would hold originals in memory.
        vips_cache_set_max(0)
        // The callers provide the threads. One image on one thread takes the least CPU time and memory.
        vips_concurrency_set(1)
        if isBuiltOnOrc { vips_vector_set_enabled(0) }
        DecoderWarnings.install()
        vips_block_untrusted_set(1)
        vips_operation_block_set("VipsForeignLoad", 1)
        for kind in FileKind.allCases { vips_operation_block_set(kind.loaderClass, 0) }
        return nil
    }()

    /// Whether libvips uses Orc for its vector code, as it does before 8.15; later versions use Highway, whose code is
    /// compiled ahead of time. Orc compiles code at run time, and each thread frees it without a lock (Orc 0.4.33,
    /// orc_code_chunk_free), so two renders that end at the same time could crash the process. Also, a worker may not
    /// make memory executable.
    private static var isBuiltOnOrc: Bool {
        guard let library = dlopen("liborc-0.4.so.0", RTLD_LAZY | RTLD_NOLOAD) else { return false }
        dlclose(library)
        return true
    }

    /// Loads libvips's modules for HEIF and JPEG XL. Its own search is misled by the worker's environment, and would
    /// also load the modules for PDF, slides and everything that ImageMagick supports. If a build has these formats
    /// built in, there are no such files.
    private static func loadModules() {
        guard let library = clinux_library_path(cvips_somewhere()).map({ String(cString: $0) }),
            let slash = library.lastIndex(of: "/")
        else { return }
        let folder = library[..<slash] + "/vips-modules-\(vips_version(0)).\(vips_version(1))/"
        for kind in ["heif", "jxl"] {
            if let module = g_module_open(folder + "vips-\(kind).so", G_MODULE_BIND_LAZY) {
                g_module_make_resident(module)
            }
        }
    }

    /// Starts libvips unless it is running. Callable on any thread.
    ///
    /// - Throws: `RenderError` with the reason `.failed`.
    static func start() throws(RenderError) {
        if let startFailure {
            throw RenderError(.failed, "The picture decoder is not available.", logDetail: startFailure)
        }
    }

    /// The error messages since the last call. libvips has one error buffer for the whole process, so another thread's
    /// messages may be included: use this for the log only.
    static func takeErrorText() -> String {
        var lines = DecoderWarnings.take()
        if let text = vips_error_buffer_copy() {
            lines += String(cString: text).split(whereSeparator: \.isNewline).map(String.init)
            g_free(text)
        }
        return String(lines.joined(separator: "; ").prefix(400))
    }
}
