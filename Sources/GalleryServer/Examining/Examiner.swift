import Catalog
import Dispatch
import Images
import Loading
import Locking
import Logging
import Renditions
import Scheduling
import Synchronization

/// Has the render workers look into every file of the folders, behind all that anybody asks for: what a file's head says
/// is known before somebody comes to its picture. A file is looked into once for each of its contents; it rests when there
/// is nothing left, and goes on when the catalog changes.
final class Examiner: @unchecked Sendable {
    /// Files that are open at a time, waiting for a worker or with one.
    static let filesAtOnce = 64
    /// Files that could not be looked into for a reason that may pass, before all of it waits for that.
    private static let mostLeft = 1_000
    private static let tellInterval = Duration.seconds(30)
    /// Behind everything that is asked for, and before what is made ahead.
    private static let priority = Priority(lane: .background, viewport: 1, distance: 0)

    // Sendable because everything below `queue` is touched on it alone.
    private let queue = DispatchQueue(label: "tessera.examining", qos: .utility)
    private let catalog: Catalog
    private let renderer: any Rendering
    /// The other nodes, by whom no file is looked into twice.
    private let sharing: (any FactsSharing)?
    private let pace: ExaminationPace
    private let logger: Logger
    private let isStopped = Atomic(false)
    private let published = Guarded(ExaminationProgress())
    private let endings = Guarded<[Ending]>([])

    private var place: ExaminationPlace?
    private var waiting: ArraySlice<UnexaminedFile> = []
    /// Those that are looked into, with the way to stop it once there is one.
    private var visits: [UnexaminedFile: (any RenderHandle)?] = [:]
    private var left: [UnexaminedFile] = []
    /// Those that other nodes look into, or have.
    private var elsewhere = FilesElsewhere()
    /// Those that are asked for now; nil while nobody is asked.
    private var claimed: Set<UnexaminedFile>?
    private var isPaused = false
    /// Since when it waits for the sources to be read, and whether it looks for that by itself.
    private var scanningSince: ContinuousClock.Instant?
    private var isLooking = false
    private var isRetrying = false
    private var isSettled = false
    private var failures = 0
    /// Where files of each folder are opened: a disk that hangs keeps its own alone.
    private var openers: [Int: DispatchQueue] = [:]
    /// Since there was something to do last.
    private var stretch = (visited: 0, broken: 0, told: ContinuousClock.now)
    private var hasToldOfEnd = false

    private struct Ending: Sendable {
        enum Kind { case learned, broken, left, unavailable }

        let file: UnexaminedFile
        let kind: Kind
    }

    init(
        catalog: Catalog, renderer: any Rendering, sharing: (any FactsSharing)? = nil,
        pace: ExaminationPace = ExaminationPace(), logger: Logger
    ) {
        self.catalog = catalog
        self.renderer = renderer
        self.sharing = sharing
        self.pace = pace
        self.logger = logger
    }

    /// Any thread, never waits.
    var progress: ExaminationProgress { published.withLock { $0 } }

    /// Returns at once.
    func start() {
        catalog.onChange { [weak self] in self?.goOn() }
        goOn()
    }

    /// Nothing is begun any more, and nothing learnt; what is under way is given up.
    func stop() async {
        isStopped.store(true, ordering: .relaxed)
        await withCheckedContinuation { done in
            queue.async {
                for case let handle? in self.visits.values { handle.cancel() }
                done.resume()
            }
        }
    }

    /// Comes back when what was begun before on the queue is done. For the tests.
    func settled() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    private func goOn() {
        queue.async { self.step() }
    }

    // MARK: - On the queue

    private func step() {
        guard !isStopped.load(ordering: .relaxed), !isPaused, !waitsForScan() else { return }
        do {
            // Room for a whole survey: one file at a time, as one ends, would be a visit each.
            while visits.count <= Self.filesAtOnce - RenderJob.mostSurveyed {
                if waiting.isEmpty {
                    guard claimed == nil, !elsewhere.isFull else { break }
                    waiting = try catalog.unexamined(after: &place, limit: Self.filesAtOnce)[...]
                    if waiting.isEmpty { break }
                    isSettled = false
                    if sharing != nil {
                        claim(Array(waiting))
                        waiting = []
                        break
                    }
                }
                visit(waiting.prefix(Self.filesAtOnce - visits.count))
            }
        } catch CatalogError.closed {
            return
        } catch {
            pause()
        }
        publish()
        if left.count >= Self.mostLeft { pause() }
        if visits.isEmpty, waiting.isEmpty, claimed == nil, elsewhere.isEmpty, !isPaused { rest() }
    }

    /// Asks which of these files are this node's to look into.
    private func claim(_ files: [UnexaminedFile]) {
        claimed = Set(files)
        let contents = files.map { ImageContent(image: $0.image, version: $0.version) }
        sharing?.claim(contents) { [weak self] granted in
            guard let self else { return }
            queue.async {
                // What was waited for long enough meanwhile is not asked for any more.
                let left = files.filter { self.claimed?.contains($0) == true }
                self.claimed = nil
                let own = left.filter { granted.contains(ImageContent(image: $0.image, version: $0.version)) }
                self.waiting += own
                self.elsewhere.remove(own)
                self.elsewhere.add(left.filter { !own.contains($0) }, at: .now)
                self.lookElsewhere()
                self.step()
            }
        }
    }

    /// Looks a while later what has become of the files that others look into.
    private func lookElsewhere() {
        guard elsewhere.startLooking() else { return }
        queue.asyncAfter(deadline: .now() + pace.lookingElsewhere.dispatched) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            let (open, overdue) = elsewhere.take(now: .now) { self.catalog.unexamined(of: $0) }
            // Whoever has them does not come to an end with them.
            claimed?.subtract(overdue)
            waiting += overdue
            if !open.isEmpty, claimed == nil { claim(open) }
            lookElsewhere()
            step()
        }
    }

    /// Whether a source is being read that will be soon.
    private func waitsForScan() -> Bool {
        guard catalog.isScanning else {
            scanningSince = nil
            return false
        }
        let since = scanningSince ?? .now
        scanningSince = since
        guard .now - since < pace.patience else { return false }
        if !isLooking {
            isLooking = true
            queue.asyncAfter(deadline: .now() + pace.looking.dispatched) { [weak self] in
                self?.isLooking = false
                self?.step()
            }
        }
        return true
    }

    private func visit(_ files: ArraySlice<UnexaminedFile>) {
        waiting = waiting.dropFirst(files.count)
        for (folder, files) in Dictionary(grouping: files, by: \.folder) {
            for file in files { visits.updateValue(nil, forKey: file) }
            for start in stride(from: 0, to: files.count, by: RenderJob.mostSurveyed) {
                begin(Array(files[start..<min(start + RenderJob.mostSurveyed, files.count)]), in: folder)
            }
        }
    }

    /// Has files of one folder be looked into, in one visit.
    private func begin(_ files: [UnexaminedFile], in folder: Int) {
        opener(of: folder).async { [self] in
            guard let handle = open(files) else { return }
            queue.async {
                // Some may have ended already.
                for file in files where self.visits[file] != nil { self.visits[file] = handle }
            }
        }
    }

    private func opener(of folder: Int) -> DispatchQueue {
        if let opener = openers[folder] { return opener }
        let opener = DispatchQueue(label: "tessera.examining.\(folder)", qos: .utility)
        openers[folder] = opener
        return opener
    }

    private func take(_ endings: [Ending]) {
        for ending in endings {
            visits[ending.file] = nil
            switch ending.kind {
            case .learned: stretch.visited += 1
            case .broken:
                stretch.visited += 1
                stretch.broken += 1
            case .left: leave(ending.file)
            case .unavailable:
                leave(ending.file)
                pause()
            }
        }
        if stretch.visited > 0, .now - stretch.told > Self.tellInterval {
            stretch.told = .now
            let progress = progress
            logger.notice("\(progress.done) of \(progress.total) pictures have been looked into.")
        }
        step()
    }

    private func leave(_ file: UnexaminedFile) {
        left.append(file)
        sharing?.release([ImageContent(image: file.image, version: file.version)])
    }

    /// All that can be looked into has been.
    private func rest() {
        guard let place else { return }
        if !isSettled {
            isSettled = true
            if catalog.settleExaminations(place, left: left) {
                isSettled = false
                queue.asyncAfter(deadline: .now() + pace.settling.dispatched) { [weak self] in self?.step() }
            } else {
                Task { [catalog] in await catalog.prepareOrders() }
            }
        }
        retryLeft()
        guard stretch.visited > 0, !catalog.state.isScanning else { return }
        if !hasToldOfEnd || stretch.visited >= Self.mostLeft {
            let broken = stretch.broken > 0 ? " \(stretch.broken) of them cannot be shown." : ""
            logger.notice("All \(progress.total) pictures have been looked into.\(broken)")
        }
        hasToldOfEnd = true
        stretch = (0, 0, .now)
    }

    /// Waits with everything, for a reason that will pass.
    private func pause() {
        isPaused = true
        retryLeft(evenIfNone: true)
    }

    /// Takes what was left once more, later.
    private func retryLeft(evenIfNone: Bool = false) {
        if left.isEmpty, !evenIfNone { failures = 0 }
        guard !isRetrying, !left.isEmpty || evenIfNone else { return }
        isRetrying = true
        failures += 1
        queue.asyncAfter(deadline: .now() + pace.delay(after: failures).dispatched) { [weak self] in
            guard let self else { return }
            (isRetrying, isPaused) = (false, false)
            catalog.reopen(left)
            left = []
            step()
        }
    }

    private func publish() {
        let counts = catalog.examinations
        let outstanding = visits.count + waiting.count + left.count + elsewhere.count
        published.withLock {
            $0 = ExaminationProgress(done: max(0, counts.given - outstanding), total: counts.total)
        }
    }

    // MARK: - Elsewhere

    /// A file that is open, and the content that it has.
    private struct Opened: Sendable {
        let file: UnexaminedFile
        let version: ContentVersion
        let descriptor: OwnedDescriptor
    }

    /// Where files are opened.
    private func open(_ files: [UnexaminedFile]) -> (any RenderHandle)? {
        guard !isStopped.load(ordering: .relaxed) else { return nil }
        let opened = files.compactMap { file -> Opened? in
            do throws(CatalogError) {
                let open = try catalog.openFile(folder: file.folder, path: file.path)
                let version = open.version
                return Opened(file: file, version: version, descriptor: OwnedDescriptor(open.release()))
            } catch {
                end(file, .left)
                return nil
            }
        }
        guard let first = opened.first else { return nil }
        guard opened.count > 1 else {
            let job = RenderJob(.examine, of: first.descriptor.number)
            return renderer.render(job, priority: Self.priority) { [weak self] result in
                withExtendedLifetime(first) { self?.visited(first.file, first.version, result) }
            }
        }
        let job = RenderJob(surveying: opened.map(\.descriptor.number))
        return renderer.render(job, priority: Self.priority) { [weak self] result in
            withExtendedLifetime(opened) { self?.surveyed(opened, result) }
        }
    }

    /// Where the answer comes from; does not block.
    private func surveyed(_ files: [Opened], _ result: Result<RenderAnswer, RenderError>) {
        guard !isStopped.load(ordering: .relaxed) else { return }
        guard case .success(let answer) = result, answer.visits.count == files.count else {
            if case .failure(let error) = result, error.reason == .unavailable {
                for file in files { end(file.file, .unavailable) }
                return
            }
            // One of them is to blame, and is found by itself.
            for file in files { queue.async { self.begin([file.file], in: file.file.folder) } }
            return
        }
        for (file, visit) in zip(files, answer.visits) {
            switch visit {
            case .examined(let facts, let source):
                visited(file.file, file.version, .success(RenderAnswer(facts: facts, source: source)))
            case .failed(let error): visited(file.file, file.version, .failure(error))
            case .left: queue.async { self.begin([file.file], in: file.file.folder) }
            }
        }
    }

    /// Where the answer comes from; does not block.
    private func visited(
        _ file: UnexaminedFile, _ version: ContentVersion, _ result: Result<RenderAnswer, RenderError>
    ) {
        guard !isStopped.load(ordering: .relaxed) else { return }
        switch result {
        case .success(let answer):
            // What is read of a file that changes says nothing.
            guard answer.source.version == version else { return end(file, .left) }
            catalog.learned(answer.facts, version: version, of: file.image)
            end(file, .learned)
        case .failure(let error) where error.isPermanent:
            if let source = error.source, source.version != version { return end(file, .left) }
            var facts = ImageFacts()
            facts.isBroken = true
            facts.examination = ImageFacts.presentExamination
            catalog.learned(facts, version: version, of: file.image)
            end(file, .broken)
        case .failure(let error): end(file, error.reason == .unavailable ? .unavailable : .left)
        }
    }

    private func end(_ file: UnexaminedFile, _ kind: Ending.Kind) {
        let isFirst = endings.withLock { endings in
            endings.append(Ending(file: file, kind: kind))
            return endings.count == 1
        }
        guard isFirst else { return }
        queue.async {
            self.take(
                self.endings.withLock { endings in
                    defer { endings = [] }
                    return endings
                })
        }
    }
}

extension SourceStatus {
    fileprivate var version: ContentVersion {
        ContentVersion(fileSize: size, modifiedSeconds: modifiedSeconds, nanoseconds: nanoseconds)
    }
}
