import Glibc

/// The rules of the folders that a walk has looked at.
final class FolderRulesCache {
    fileprivate var rules: [[UInt8]: FolderRules] = [:]
    /// The markers that were read.
    fileprivate var markers: Set<[UInt8]> = []
}

extension FolderWalk {
    /// The longest marker that is read, in bytes.
    private static let longestMarker = 65_536

    /// The rules that leave files out of a folder.
    ///
    /// - Parameter markers: The markers in the folder, if its names are known; otherwise they are looked for. Folders
    ///   above are looked at unless the walk has been there.
    /// - Throws: `FolderRoot.Failure` if it cannot be determined now.
    func rules(of folder: [UInt8], markers: [FolderMarker]? = nil) throws(FolderRoot.Failure) -> FolderRules {
        if markers == nil, let known = cache.rules[folder] { return known }
        var rules =
            folder.isEmpty ? FolderRules(excluded: excluded) : try self.rules(of: FilePath.split(folder).folder)
        if !rules.leavesOutAll {
            let found = if let markers { markers } else { try self.markers(in: folder) }
            for marker in found { try apply(marker, in: folder, to: &rules) }
        }
        cache.rules[folder] = rules
        return rules
    }

    private func markers(in folder: [UInt8]) throws(FolderRoot.Failure) -> [FolderMarker] {
        // A marker that was added since is reported by an event, or changes the folder's times.
        if let former = reading.former(folder), !former.isMarked { return [] }
        let descriptor = try served.openFolder(folder).descriptor
        defer { close(descriptor) }
        var found: [FolderMarker] = []
        for marker in FolderMarker.allCases {
            do throws(FolderRoot.Failure) {
                _ = try FolderNames.status(of: marker.name, in: descriptor, served.root.calls)
                found.append(marker)
            } catch {
                guard error.isAbsence else { throw error }
            }
        }
        return found
    }

    private func apply(
        _ marker: FolderMarker, in folder: [UInt8], to rules: inout FolderRules
    ) throws(FolderRoot.Failure) {
        guard marker.hasPatterns else { return rules.leaveOutAll() }
        let path = FilePath.join(folder, marker.name)
        guard let text = try text(of: path) else { return }
        // Its problems are reported once, however often a walk needs it.
        let isFirst = cache.markers.insert(path).inserted
        guard text.count <= Self.longestMarker else {
            if isFirst {
                reading.refused(path, "longer than \(Self.longestMarker) bytes: its whole folder is left out")
            }
            return rules.leaveOutAll()
        }
        let patterns = SkipPatterns(lines: text) { line, reason in
            if isFirst { reading.refused(path, "line \(line): \(reason)") }
        }
        if patterns.isEmpty, marker.leavesOutAllWithoutPatterns { return rules.leaveOutAll() }
        rules.add(patterns, of: folder)
    }

    /// The beginning of a marker, one byte longer than allowed if the marker is; nil if it is no file, or gone.
    private func text(of path: [UInt8]) throws(FolderRoot.Failure) -> [UInt8]? {
        do throws(FolderRoot.Failure) {
            let file = try served.openFile(path)
            var code: Int32 = 0
            let text = [UInt8](unsafeUninitializedCapacity: Self.longestMarker + 1) { buffer, count in
                let read = served.root.calls.readHead(file.descriptor, into: UnsafeMutableRawBufferPointer(buffer))
                if read < 0 { code = errno }
                count = max(0, read)
            }
            guard code == 0 else { throw FolderRoot.Failure(code: code) }
            return text
        } catch {
            guard error.isAbsence else { throw error }
            return nil
        }
    }
}
