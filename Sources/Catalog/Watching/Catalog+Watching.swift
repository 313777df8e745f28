import Dispatch
import Glibc
import Locking
import Synchronization

extension Catalog {
    /// The interval at which files that are still being written are checked.
    private static let unfinishedDelay = DispatchTimeInterval.milliseconds(300)

    /// Starts to watch a source. On the scanning queue.
    ///
    /// - Returns: Why it cannot be watched; nil if it is.
    func beginWatch(of source: NamedSource) -> FolderWatch.Refusal? {
        let record = records[source.ordinal]
        guard configuration.watches, !isStopped.load(ordering: .relaxed), record.watch == nil else { return nil }
        let ordinal = source.ordinal
        let debouncer = Debouncer(queue: watching, quiet: .milliseconds(200), maximumDelay: .seconds(1)) {
            [weak self] in
            self?.refresh([ordinal])
        }
        do throws(FolderRoot.Failure) {
            record.watch = try FolderWatch(
                calls: configuration.fileSystem, queue: watching, isOfInterest: source.kind.isOfInterest
            ) { debouncer.note() }
            return nil
        } catch {
            return error.code == EMFILE ? .instances : .other(error.code)
        }
    }

    /// Records whether a list is watched. On the scanning queue.
    ///
    /// - Parameter refusal: Why it is not; nil if it is.
    func noteWatch(of source: NamedSource, _ refusal: FolderWatch.Refusal?) {
        let record = records[source.ordinal]
        record.refusals = refusal.map { [$0] } ?? []
        record.needsPeriodicScans = record.watch == nil || refusal != nil
    }

    /// Whether a list that may have changed is complete. On the scanning queue.
    func isWholeList(_ source: NamedSource, _ path: String, _ status: stat, _ sign: DirtySet.Change?) -> Bool {
        records[source.ordinal].unfinished.isWhole(Array(path.utf8), status, isBegun: sign == .begun)
    }

    /// Schedules another look of files that are still being written, if there are any. On the scanning queue.
    func scheduleRecheck(of source: NamedSource) {
        guard !records[source.ordinal].unfinished.paths.isEmpty else { return }
        let ordinal = source.ordinal
        watching.asyncAfter(deadline: .now() + Self.unfinishedDelay) { [weak self] in self?.refresh([ordinal]) }
    }

    /// Ends all watches. On the scanning queue.
    func endWatches() {
        for source in sources {
            exchange(&records[source.ordinal].watch, with: nil)?.end()
            // If this fails, some unused rows stay, which does no harm.
            try? deleteRemoved(of: source)
        }
    }
}

extension NamedSource {
    /// The problem that not everything is watched, with advice.
    func unwatched(_ refusals: Set<FolderWatch.Refusal>, watched: Int) -> CatalogState.Problem {
        let cause =
            if refusals.contains(.watches) {
                "this user has no watches left (fs.inotify.max_user_watches). Raise it: sysctl"
                    + " fs.inotify.max_user_watches=1048576."
            } else if refusals.contains(.instances) {
                "this user or process has reached its limit of inotify instances (fs.inotify.max_user_instances, ulimit"
                    + " -n). Raise it: sysctl fs.inotify.max_user_instances=1024."
            } else if case .other(let code)? = refusals.first {
                "inotify failed: \(String(cString: strerror(code)))."
            } else {
                "the system refuses."
            }
        let share = watched == 0 ? "is not watched for changes" : "is watched for changes in only \(watched) folders"
        return CatalogState.Problem(
            source: name, reason: "\(share), for \(cause) Folders that are not watched are rescanned periodically.")
    }
}
