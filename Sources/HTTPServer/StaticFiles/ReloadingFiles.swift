import Dispatch
import Locking
import Logging

/// Serves the files of a folder, and loads them again when they change, so that a developer only needs to reload the
/// page; also when the state with which pages are completed has changed.
///
/// Requests below ``immutable`` never check for changes. Those files are named by their content, and clients cache them
/// for ever. Each stays available after one more change of the folder, because a page that was sent a moment ago may
/// request its script only now.
public final class ReloadingFiles: Responder {
    /// The path prefix of files that are named by their content.
    public static let immutable = "/assets/"

    /// What the files in memory were loaded from.
    private struct Stamp: Equatable {
        let folder: Int
        let pageState: String
    }

    private struct State {
        var files: StaticFiles
        var former: StaticFiles?
        var stamp: Stamp
        var checked: ContinuousClock.Instant
    }

    private let folder: String
    private let configuration: StaticFiles.Configuration
    private let checkInterval: Duration
    private let logger: Logger
    private let state: Guarded<State>
    /// Reads from the disk run on this queue, never on a connection's event loop.
    private let queue = DispatchQueue(label: "tessera.reloading-files")

    /// Loads the folder. Blocks.
    ///
    /// - Parameters:
    ///   - configuration: Its `cacheControl` is replaced.
    ///   - checkInterval: The least time between two checks of the folder.
    /// - Throws: ``StaticFilesError``.
    public init(
        folder: String, configuration: StaticFiles.Configuration = .init(), checkInterval: Duration = .seconds(1),
        logger: Logger
    ) throws {
        var configuration = configuration
        configuration.cacheControl = { path in
            path.hasPrefix(Self.immutable) ? "max-age=31536000, immutable" : "no-cache"
        }
        self.folder = folder
        self.configuration = configuration
        self.checkInterval = checkInterval
        self.logger = logger
        let stamp = Stamp(folder: try Folder.stamp(folder), pageState: configuration.pageState())
        state = Guarded(
            State(files: try StaticFiles(folder: folder, configuration: configuration), stamp: stamp, checked: .now))
    }

    public func respond(to request: Request, reply: Reply) {
        // A page that another server has sent already may name a file that only the changed folder has.
        guard !request.path.hasPrefix(Self.immutable) || !files(for: request).has(request.path), isCheckDue() else {
            files(for: request).respond(to: request, reply: reply)
            return
        }
        queue.async { [self] in
            reloadIfChanged()
            files(for: request).respond(to: request, reply: reply)
        }
    }

    private func files(for request: Request) -> StaticFiles {
        state.withLock { state in
            guard request.path.hasPrefix(Self.immutable), let former = state.former, former.has(request.path),
                !state.files.has(request.path)
            else { return state.files }
            return former
        }
    }

    /// When the folder was last checked for changes.
    var lastCheck: ContinuousClock.Instant { state.withLock(\.checked) }

    private func isCheckDue() -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard now - state.checked >= checkInterval else { return false }
            state.checked = now
            return true
        }
    }

    /// If the folder cannot be read, the files stay as they are until the next check.
    private func reloadIfChanged() {
        do {
            let stamp = Stamp(folder: try Folder.stamp(folder), pageState: configuration.pageState())
            guard stamp != state.withLock({ $0.stamp }) else { return }
            let files = try StaticFiles(folder: folder, configuration: configuration)
            state.withLock {
                $0.former = $0.files
                $0.files = files
                $0.stamp = stamp
            }
        } catch {
            logger.warning("cannot reload the changed page; still serving the previous one: \(error)")
        }
    }
}
