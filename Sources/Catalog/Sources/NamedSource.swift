import Glibc

/// A source with what tells it and its images apart from others.
struct NamedSource: Sendable {
    let source: Source
    /// Its place among the sources.
    let ordinal: Int
    /// Its name in the index: two runs that name the same folder mean the same source.
    let key: String
    /// For folders and lists.
    let identity: Identity
    /// For templates.
    let series: Series?

    var name: String { source.name }
    var isTemplate: Bool { series != nil }
    var isFolder: Bool { if case .folder = source { true } else { false } }

    static func named(_ sources: [Source]) -> [NamedSource] {
        var namesakes: [String: Int] = [:]
        func count(_ name: String) -> Int {
            defer { namesakes[name, default: 0] += 1 }
            return namesakes[name, default: 0]
        }
        var series: [Series] = []
        return sources.enumerated().map { ordinal, source in
            switch source {
            case .folder(let path):
                let real = realPath(path)
                let name = String(real.split(separator: "/").last ?? "/")
                let key = "folder:" + real
                return NamedSource(
                    source: source, ordinal: ordinal, key: "\(key)#\(count(key))",
                    identity: Identity(folder: name, namesakes: count("name:" + name)), series: nil)
            case .list(let path, _):
                let key = "list:" + realPath(path)
                return NamedSource(
                    source: source, ordinal: ordinal, key: "\(key)#\(count(key))", identity: Identity(), series: nil)
            case .template(let template):
                var attempt = 0
                var own = Series(template, attempt: attempt)
                while series.contains(where: own.collides) {
                    attempt += 1
                    own = Series(template, attempt: attempt)
                }
                series.append(own)
                return NamedSource(
                    source: source, ordinal: ordinal, key: "template:" + template.pattern, identity: Identity(),
                    series: own)
            }
        }
    }

    /// Checks that the source can be read now. Blocking.
    ///
    /// - Returns: the root, for a folder.
    /// - Throws: `CatalogError.badSource`.
    func open(_ calls: FileSystemCalls) throws(CatalogError) -> FolderRoot? {
        switch source {
        case .folder(let path):
            do throws(FolderRoot.Failure) {
                let root = try FolderRoot(path: path, calls: calls)
                // A folder may be opened and yet not be entered: reading names is one right, reaching files another.
                close(try root.openFolder([]))
                return root
            } catch {
                throw .badSource(word: path, reason: Source.unreadable(error.code))
            }
        case .list(let path, _):
            let descriptor = calls.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw .badSource(word: path, reason: Source.unreadable(errno)) }
            close(descriptor)
            return nil
        case .template:
            return nil
        }
    }

    /// That nothing was found in it.
    var emptiness: CatalogState.Problem {
        let reason =
            if case .folder = source {
                "holds no picture. Put some into it, or name another folder; in a container, check what is mounted."
            } else {
                "holds no usable URL."
            }
        return CatalogState.Problem(source: name, reason: reason)
    }

    /// The path without links, or as it is when it cannot be resolved.
    private static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
