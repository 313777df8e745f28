import CLinux
import CVips
import Glibc
import Renditions

/// libvips, started once in a process and kept on a short lead: it may decode the kinds of `FileKind` and no others.
enum DecoderLibrary {
    /// Text for the log when libvips could not be started; nil once it is running.
    private static let startFailure: String? = {
        guard vips_init("tessera-renderer") == 0 else { return takeErrorText() }
        loadModules()
        // Results are never asked for twice here, and a cache would keep originals in memory.
        vips_cache_set_max(0)
        // The callers bring the threads. One picture on one thread costs the least CPU and memory.
        vips_concurrency_set(1)
        if isBuiltOnOrc { vips_vector_set_enabled(0) }
        DecoderWarnings.install()
        vips_block_untrusted_set(1)
        vips_operation_block_set("VipsForeignLoad", 1)
        for kind in FileKind.allCases { vips_operation_block_set(kind.loaderClass, 0) }
        return nil
    }()

    /// Whether libvips has Orc for its vector code, as it has before 8.15; later ones have Highway, whose code is compiled
    /// beforehand. What Orc compiles while the program runs is freed by each thread without a lock (Orc 0.4.33,
    /// orc_code_chunk_free), so that two renders that end at once could tear the process down; and a worker may make no
    /// memory executable.
    private static var isBuiltOnOrc: Bool {
        guard let library = dlopen("liborc-0.4.so.0", RTLD_LAZY | RTLD_NOLOAD) else { return false }
        dlclose(library)
        return true
    }

    /// libvips' own search for modules is led astray by the worker's environment: it would load those for PDF, slides and
    /// everything that ImageMagick knows, too. Where a build has these inside, there are no such files.
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

    /// Starts libvips unless it is running. Any thread.
    ///
    /// - Throws: `RenderError` with the reason `.failed`.
    static func start() throws(RenderError) {
        if let startFailure {
            throw RenderError(.failed, "The picture decoder is not available.", logDetail: startFailure)
        }
    }

    /// What was said since the last call. libvips has one error text for the whole process, so that another thread's words
    /// may be in it: fit for the log and for nothing else.
    static func takeErrorText() -> String {
        var lines = DecoderWarnings.take()
        if let text = vips_error_buffer_copy() {
            lines += String(cString: text).split(whereSeparator: \.isNewline).map(String.init)
            g_free(text)
        }
        return String(lines.joined(separator: "; ").prefix(400))
    }
}
