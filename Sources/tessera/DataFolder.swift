import Foundation

/// The folder for what the server can rebuild: the index and the caches.
enum DataFolder {
    /// The default folder: one per set of sources in the user's cache folder, so that two galleries never share one
    /// and a restart finds its own again.
    static func standard(for sources: [String]) -> String { cacheFolder() + "/tessera/" + name(of: sources) }

    /// The default file of the library, which cannot be rebuilt, so it is not in the cache folder.
    ///
    /// - Parameter createsFolder: Whether its folder is created.
    static func standardLibrary(for sources: [String], createsFolder: Bool) throws -> String {
        let folder = dataFolder() + "/tessera/" + name(of: sources)
        if createsFolder { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        return folder + "/library.sqlite"
    }

    private static func name(of sources: [String]) -> String {
        let words = sources.map { source in
            source.contains("://") ? source : URL(fileURLWithPath: source).standardizedFileURL.path
        }
        let name = words.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "gallery"
        let readable = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(32)
        return "\(readable)-\(fingerprint(of: words))"
    }

    /// A new folder for one run, such as the demo's.
    static func temporary() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// The XDG Base Directory Specification's folder for data that can be rebuilt.
    private static func cacheFolder() -> String { userFolder("XDG_CACHE_HOME", "/.cache") }

    /// The same for data that cannot be rebuilt.
    private static func dataFolder() -> String { userFolder("XDG_DATA_HOME", "/.local/share") }

    private static func userFolder(_ variable: String, _ standard: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment[variable], folder.hasPrefix("/") { return folder }
        return (environment["HOME"] ?? FileManager.default.temporaryDirectory.path) + standard
    }

    /// FNV-1a, 64 bits: the same text gives the same name in every run.
    private static func fingerprint(of words: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in words.joined(separator: "\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 36)
    }
}
