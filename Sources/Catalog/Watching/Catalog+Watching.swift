import Dispatch
import Glibc
import Locking
import Synchronization

extension Catalog {
    /// How soon a file that is being written is looked at again.
    private static let unfinishedDelay = DispatchTimeInterval.milliseconds(300)

    /// Has a source be watched from now on. Scanning queue.
    ///
    /// - Returns: why it cannot be.
    func beginWatch(of source: NamedSource) -> FolderWatch.Refusal? {
        let record = records[source.ordinal]
        guard configuration.watches, !isStopped.load(ordering: .relaxed), record.watch == nil else { return nil }
        let ordinal = source.ordinal
        let gathering = Gathering(queue: watching, quiet: .milliseconds(200), longest: .seconds(1)) { [weak self] in
            self?.refresh([ordinal])
        }
        do throws(FolderRoot.Failure) {
            record.watch = try FolderWatch(
                calls: configuration.fileSystem, queue: watching, isOfInterest: source.kind.isOfInterest
            ) { gathering.note() }
            return nil
        } catch {
            return error.code == EMFILE ? .instances : .other(error.code)
        }
    }

    /// Watches the folder of a list file, in which it is edited or replaced.
    func watchList(_ path: String, of source: NamedSource) {
        let record = records[source.ordinal]
        var refusal = beginWatch(of: source)
        if let watch = record.watch {
            let folder = FilePath.split(Array(path.utf8)).folder
            let place = path.hasPrefix("/") && folder.isEmpty ? "/" : String(decoding: folder, as: UTF8.self)
            refusal = watch.add([], at: place.isEmpty ? "." : place)
        }
        record.refusals = refusal.map { [$0] } ?? []
        record.isBlind = record.watch == nil || refusal != nil
    }

    /// Whether a list that may have changed is whole. Scanning queue.
    func isWholeList(_ source: NamedSource, _ path: String, _ status: stat, _ sign: Dirt.Sign?) -> Bool {
        records[source.ordinal].unfinished.isWhole(Array(path.utf8), status, isBegun: sign == .begun)
    }

    /// Looks once more at files that are being written, as long as there are any. Scanning queue.
    func lookAgain(at source: NamedSource) {
        guard !records[source.ordinal].unfinished.paths.isEmpty else { return }
        let ordinal = source.ordinal
        watching.asyncAfter(deadline: .now() + Self.unfinishedDelay) { [weak self] in self?.refresh([ordinal]) }
    }

    /// Ends all watches. Scanning queue.
    func endWatches() {
        for source in sources {
            exchange(&records[source.ordinal].watch, with: nil)?.end()
            // What is left is some rows that nothing names.
            try? letGo(of: source)
        }
    }
}

extension NamedSource {
    /// That not everything could be watched, and what can be done about it.
    func unwatched(_ refusals: Set<FolderWatch.Refusal>, watched: Int) -> CatalogState.Problem {
        let cause =
            if refusals.contains(.watches) {
                "this user has no watches left (fs.inotify.max_user_watches). Raise it: sysctl"
                    + " fs.inotify.max_user_watches=1048576."
            } else if refusals.contains(.instances) {
                "this user or process may open no more descriptors for watches (fs.inotify.max_user_instances, ulimit"
                    + " -n). Raise it: sysctl fs.inotify.max_user_instances=1024."
            } else if case .other(let code)? = refusals.first {
                "the system refuses: \(String(cString: strerror(code)))."
            } else {
                "the system refuses."
            }
        let share = watched == 0 ? "is not watched for changes" : "is watched for changes in \(watched) folders only"
        return CatalogState.Problem(
            source: name, reason: "\(share), for \(cause) What is not watched is read again from time to time.")
    }
}
