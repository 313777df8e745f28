import CLinux
import Glibc
import Images

/// The sidecars among the names of one folder.
///
/// A folder may contain a million, so only hashes of their names are kept: a wrong match, which takes an effort to make,
/// leads to a sidecar that is not found later.
struct FolderSidecars {
    private var versions: [SidecarFormat: [UInt64: ContentVersion]] = [:]

    /// Adds a name, if it may be that of a sidecar.
    ///
    /// - Parameter status: The status of the file, or of the link's target.
    mutating func add(_ name: [UInt8], _ status: stat) {
        guard let format = SidecarName.format(of: name), status.st_mode & S_IFMT == S_IFREG else { return }
        versions[format, default: [:]][Self.hash(name)] = FileStamp(status).version
    }

    /// The version of a picture's sidecars.
    func version(of picture: [UInt8]) -> SidecarVersion {
        guard !versions.isEmpty else { return .none }
        return SidecarVersion(picture) { format, name in versions[format]?[Self.hash(name)] }
    }

    private static func hash(_ name: [UInt8]) -> UInt64 {
        SplitMix.mixed(name.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }
}

extension SidecarVersion {
    /// The version of a picture's sidecars.
    ///
    /// - Parameter find: Returns the content version of a file beside the picture, if it exists.
    init<Failure: Error>(
        _ picture: [UInt8], _ find: (SidecarFormat, [UInt8]) throws(Failure) -> ContentVersion?
    ) throws(Failure) {
        var files: [SidecarFormat: ContentVersion] = [:]
        for format in SidecarFormat.allCases {
            files[format] = try SidecarName.first(format, of: picture) { name throws(Failure) in
                try find(format, name)
            }
        }
        self.init(files)
    }
}
