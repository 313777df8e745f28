import CSandbox
import Glibc

extension Sandbox {
    /// Limits the process, by [Landlock](https://docs.kernel.org/userspace-api/landlock.html), to reading at or
    /// beneath `paths`; the rest of the file system becomes inaccessible. A path that does not exist is skipped; a
    /// symbolic link stands for its target. On newer kernels, TCP, signals to other processes and abstract sockets
    /// are denied as well. Open descriptors stay usable.
    ///
    /// Landlock binds only the calling thread and those that it starts later, so there must be no other thread yet.
    /// Whatever is drawn afterwards to warm up must come from memory or from descriptors that are already open.
    ///
    /// - Returns: False if the kernel has no Landlock (before 5.13, or disabled at boot) or the container runtime
    ///   withholds it, as engines before 2022 do. ``confineCalls()`` still keeps every file from being written.
    /// - Throws: ``SandboxError``, for instance with `EBUSY` if there are other threads.
    public static func confineFiles(to paths: [String]) throws(SandboxError) -> Bool {
        let copies = paths.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        guard !copies.contains(nil) else { throw SandboxError(step: .files, code: ENOMEM) }
        switch csandbox_confine_files(copies.map { UnsafePointer($0) }, copies.count) {
        case 0: return true
        case ENOSYS, EOPNOTSUPP: return false
        case let code: throw SandboxError(step: .files, code: code)
        }
    }

    /// The paths that decoders read while they warm up or draw.
    public static let drawingFiles: [String] =
        [
            "/etc/fonts",  // which fonts there are, and their substitutions
            "/usr/share/fontconfig",  // the targets of the links in /etc/fonts/conf.d
            "/usr/share/fonts",  // the system's fonts
            "/usr/local/share/fonts",  // the administrator's fonts
            "/var/cache/fontconfig",  // an index of the fonts; without it, each start reads every font
            "/etc/localtime",  // libmagic and libexif print dates in local time
            "/usr/share/zoneinfo",  // the time zones that TZ can name
            "/usr/share/mime",  // GLib uses it to detect the type of a picture inside an SVG
            "/usr/share/misc",  // magic.mgc: libmagic's database
            "/usr/share/file",  // the same, on systems where the former links to it
            "/usr/lib/file",  // the same, on systems where both do
            "/etc/magic",  // the administrator's additions to it
        ] + libraryDirectories.flatMap { [$0 + "/gconv", $0 + "/gdk-pixbuf-2.0"] }

    /// The directories of modules that libraries load on demand: gconv's (the encodings of an SVG's text) and
    /// gdk-pixbuf's (pictures inside an SVG). Debian's path for the processor, and other distributions' paths.
    private static let libraryDirectories: [String] = {
        #if arch(x86_64)
            let debian = "/usr/lib/x86_64-linux-gnu"
        #elseif arch(arm64)
            let debian = "/usr/lib/aarch64-linux-gnu"
        #endif
        return [debian, "/usr/lib64", "/usr/lib"]
    }()
}
