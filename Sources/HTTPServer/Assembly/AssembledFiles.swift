import Dispatch
import HTTPTypes
import Locking
import Logging

/// A folder with a web page in plain files, served so that a browser needs few answers: at `/` the page put together, as
/// ``AssembledPage`` says, its script for ever; beside it every file at its own path, and so the page as it was written
/// at `/index.html`.
///
/// Files that change are noticed when the page is asked for: who edits one needs only to reload. As long as the page
/// cannot be put together again the one before is served.
public final class AssembledFiles: Responder {
    /// What is said beside the files.
    public struct Configuration: Sendable {
        /// Scripts that keep their paths, and are put together if they are there.
        public var scripts: [String] = []
        /// Fields of every answer, which has to allow what is in the page itself; nothing is in what is not that page.
        public var headers: @Sendable (_ inline: InlineSources) -> HTTPFields
        /// Bytes of all files together.
        public var limit = 64 << 20
        /// Between two looks for changes.
        public var pause = Duration.seconds(1)
        /// From the first answer until what is sent is compressed once more, as well as can be: work for half a second,
        /// when those who came first have their pictures.
        public var utmostAfter = DispatchTimeInterval.seconds(10)

        public init(headers: @escaping @Sendable (_ inline: InlineSources) -> HTTPFields = { _ in [:] }) {
            self.headers = headers
        }
    }

    private struct State {
        var files: StaticFiles
        /// The ones before these: a page that was sent a moment ago may ask for its script only now.
        var former: StaticFiles?
        var stamp: Int
        var looked: ContinuousClock.Instant
        /// Whether somebody sees, or has seen, to it that this is compressed as well as can be.
        var isRefined = false
    }

    private static let page = "/index.html"
    private static let forEver = "max-age=31536000, immutable"

    private let folder: String
    private let configuration: Configuration
    private let logger: Logger
    private let state: Guarded<State>
    /// Disks are waited for here, and not on the loop of a connection.
    private let queue = DispatchQueue(label: "tessera.assembled-files")
    private let refining = DispatchQueue(label: "tessera.assembled-files.refining")

    /// Loads the folder. Blocks; throws ``StaticFilesError`` and ``AssemblyError``.
    public init(folder: String, configuration: Configuration = Configuration(), logger: Logger) throws {
        self.folder = folder
        self.configuration = configuration
        self.logger = logger
        let stamp = try Folder.stamp(folder)
        state = Guarded(
            State(files: try Self.load(folder, configuration, .quick), stamp: stamp, looked: .now))
    }

    public func respond(to request: Request, reply: Reply) {
        guard !request.path.hasPrefix(AssembledPage.assets), isLookDue() else {
            files(for: request).respond(to: request, reply: reply)
            return
        }
        queue.async { [self] in
            look()
            refineLater()
            state.withLock { $0.files }.respond(to: request, reply: reply)
        }
    }

    private func files(for request: Request) -> StaticFiles {
        state.withLock { state in
            guard let former = state.former, !state.files.has(request.path), former.has(request.path),
                request.path.hasPrefix(AssembledPage.assets)
            else { return state.files }
            return former
        }
    }

    private func isLookDue() -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard now - state.looked >= configuration.pause else { return false }
            state.looked = now
            return true
        }
    }

    private func look() {
        guard let stamp = try? Folder.stamp(folder), stamp != state.withLock({ $0.stamp }) else { return }
        do {
            let files = try Self.load(folder, configuration, .quick)
            state.withLock {
                $0.former = $0.files
                $0.files = files
                $0.isRefined = false
            }
        } catch {
            logger.warning("the page was changed and cannot be put together; the one before is served: \(error)")
            // What was not understood is tried again when it has changed again; what was not read, at the next look.
            guard error is AssemblyError else { return }
        }
        state.withLock { $0.stamp = stamp }
    }

    private func refineLater() {
        let isFirst = state.withLock { state in
            defer { state.isRefined = true }
            return !state.isRefined
        }
        guard isFirst else { return }
        refining.asyncAfter(deadline: .now() + configuration.utmostAfter) { [weak self] in self?.refine() }
    }

    private func refine() {
        let stamp = state.withLock { $0.stamp }
        guard let files = try? Self.load(folder, configuration, .utmost), (try? Folder.stamp(folder)) == stamp else {
            // It is being edited, and the next look will find that.
            return
        }
        state.withLock { if $0.stamp == stamp { $0.files = files } }
    }

    private static func load(
        _ folder: String, _ configuration: Configuration, _ brotli: Brotli.Effort
    ) throws -> StaticFiles {
        let files = try Folder.read(folder, limit: configuration.limit)
        let assembled = try AssembledPage(files, page: page, scripts: configuration.scripts)
        let headers = configuration.headers(InlineSources())
        var served: [String: StaticFile] = [:]
        for (path, bytes) in files where assembled.scripts[path] == nil {
            served[path] = try StaticFile(path, bytes, headers: headers, cacheControl: "no-cache", brotli: nil)
        }
        for (path, bytes) in assembled.scripts {
            served[path] = try StaticFile(path, bytes, headers: headers, cacheControl: "no-cache", brotli: brotli)
        }
        for (path, bytes) in assembled.assets {
            served[path] = try StaticFile(path, bytes, headers: headers, cacheControl: forEver, brotli: brotli)
        }
        served["/"] = try StaticFile(
            page, assembled.page, headers: configuration.headers(assembled.inline), cacheControl: "no-cache",
            brotli: brotli)
        return StaticFiles(served)
    }
}
