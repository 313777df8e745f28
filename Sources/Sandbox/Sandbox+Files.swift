import CSandbox
import Glibc

extension Sandbox {
    /// Leaves the process, of the whole file system, the reading of what lies at or beneath `paths`, by
    /// [Landlock](https://docs.kernel.org/userspace-api/landlock.html). A path that does not exist is passed over; a
    /// symbolic link stands for what it leads to. Where the kernel can, TCP, signals to other processes and abstract
    /// sockets go as well. Open descriptors stay as they are.
    ///
    /// Landlock binds the calling thread and those that it starts later: so there must be no other one yet. What is
    /// drawn afterwards to get ready comes from memory or from descriptors that are open by now.
    ///
    /// - Returns: false if the kernel has no Landlock (before 5.13, or off at boot) or what runs the container
    ///   withholds it, as engines before 2022 do. ``confineCalls()`` still keeps every file from being written.
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

    /// The paths that drawing reads from while it runs or gets ready.
    public static let drawingFiles: [String] =
        [
            "/etc/fonts",  // which fonts there are, and which stands for which
            "/usr/share/fontconfig",  // what links in /etc/fonts/conf.d lead to
            "/usr/share/fonts",  // the fonts of the system
            "/usr/local/share/fonts",  // the fonts of whoever runs it
            "/var/cache/fontconfig",  // what is in each font; without it every font is read at each start
            "/etc/localtime",  // libmagic and libexif print dates in local time
            "/usr/share/zoneinfo",  // what TZ names
            "/usr/share/mime",  // GLib guesses by it what a picture inside an SVG is
            "/usr/share/misc",  // magic.mgc: libmagic's database
            "/usr/share/file",  // the same, where the former is a link to it
            "/usr/lib/file",  // the same, where both are
            "/etc/magic",  // what whoever runs it adds to that
        ] + libraryDirectories.flatMap { [$0 + "/gconv", $0 + "/gdk-pixbuf-2.0"] }

    /// Where modules lie that libraries load when they need one: gconv's (encodings of an SVG's text) and gdk-pixbuf's
    /// (pictures inside an SVG). By Debian's name for the processor, and as others call it.
    private static let libraryDirectories: [String] = {
        #if arch(x86_64)
            let debian = "/usr/lib/x86_64-linux-gnu"
        #elseif arch(arm64)
            let debian = "/usr/lib/aarch64-linux-gnu"
        #endif
        return [debian, "/usr/lib64", "/usr/lib"]
    }()
}
