import Glibc
import Logging
import Renditions
import Scheduling
import Synchronization

@testable import RenderWorkers

/// A file for a job, open for reading; deleted with its last reference.
final class TestFile: Sendable {
    let path: String
    let descriptor: Int32

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    var size: Int64 {
        var status = stat()
        fstat(descriptor, &status)
        return Int64(status.st_size)
    }
}

/// A pool of real workers, with the helpers of its tests.
final class WorkerFixture: Sendable {
    let pool: RenderPool
    /// An argument on its workers' command line that distinguishes them from those of other tests.
    private let mark: String
    private static let houses = Atomic<Int64>(0)

    /// - Parameter program: The renderer; by default the `tessera-renderer` beside the tests.
    init(
        program: String = WorkerFixture.program, _ change: (inout RenderPool.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = RenderPool.Configuration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        change(&configuration)
        configuration.limits.maximumVectorBytes += Self.houses.wrappingAdd(1, ordering: .relaxed).newValue
        mark = "vector-bytes=\(configuration.limits.maximumVectorBytes)"
        pool = try RenderPool(configuration: configuration, program: program)
    }

    static let program: String = {
        if let named = getenv("TESSERA_RENDERER") { return String(cString: named) }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/tessera-renderer"
    }()

    // MARK: - Pictures

    /// A noise filter that takes practically for ever.
    static let endless = """
        <svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><filter id="f" x="0" y="0" width="1" height="1">\
        <feTurbulence baseFrequency="0.05" numOctaves="1000000"/></filter>\
        <rect width="300" height="300" filter="url(#f)"/></svg>
        """

    static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><circle cx="150" cy="150" r="99"/></svg>
        """

    /// A mask and a filter over a very large area, which need too much memory.
    static let swelling = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image \
        width="9" height="9" xlink:href="data:image/svg+xml;utf8,%3Csvg xmlns='http://www.w3.org/2000/svg' width='30000' \
        height='30000'%3E%3Crect width='30000' height='30000' opacity='0.5'/%3E%3C/svg%3E"/></svg>
        """

    func file(_ text: String) throws -> TestFile { try file(Array(text.utf8)) }

    func file(_ bytes: [UInt8]) throws -> TestFile {
        var name = Array("/tmp/tessera-worker-XXXXXX".utf8CString)
        let writable = mkstemp(&name)
        guard writable >= 0 else { throw RenderError(.failed, "No file.") }
        defer { close(writable) }
        _ = write(writable, bytes, bytes.count)
        let path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        return TestFile(path: path, descriptor: open(path, O_RDONLY | O_CLOEXEC))
    }

    /// A JPEG encoded by the workers.
    func picture(width: Int, height: Int) async throws -> TestFile {
        let pixels = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let bytes: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            pool.encode(pixels, width: width, height: height, as: .jpeg, quality: 80) { continuation.resume(with: $0) }
        }
        return try file(bytes)
    }

    // MARK: - Jobs

    func render(_ work: RenderJob.Work, _ file: TestFile) async throws -> RenderResult {
        try await withCheckedThrowingContinuation { continuation in
            _ = pool.render(RenderJob(work, of: file.descriptor), priority: .visible) { result in
                withExtendedLifetime(file) { continuation.resume(with: result) }
            }
        }
    }

    func start(_ work: RenderJob.Work, _ file: TestFile) -> (any RenderHandle, TestFile) {
        let handle = pool.render(RenderJob(work, of: file.descriptor), priority: .visible) { _ in
            withExtendedLifetime(file) {}
        }
        return (handle, file)
    }

    // MARK: - Processes

    /// The processes of the pool's workers.
    func processes() -> [pid_t] { children().filter(isOurs) }

    private func isOurs(_ process: pid_t) -> Bool {
        guard let file = fopen("/proc/\(process)/cmdline", "r") else { return false }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&text, 1, text.count, file)
        return text[..<count].split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
    }

    private func children() -> [pid_t] {
        var found: [pid_t] = []
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let file = fopen("/proc/self/task/\(name)/children", "r") else { continue }
            defer { fclose(file) }
            var text = [CChar](repeating: 0, count: 4_096)
            guard fgets(&text, Int32(text.count), file) != nil else { continue }
            let line = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            found += line.split(separator: " ").compactMap { pid_t($0) }
        }
        return found
    }

    /// Waits for a worker that has been running for longer than a start takes.
    func workerAtWork(other: pid_t? = nil) async -> pid_t {
        while true {
            for process in processes() where process != other && isAtWork(process) { return process }
            await Task.yield()
        }
    }

    func isGone(_ process: pid_t) async {
        while processes().contains(process) { await Task.yield() }
    }

    /// Whether it is running, and has used more than half a second of processor time.
    private func isAtWork(_ process: pid_t) -> Bool {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return false }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 1_024)
        guard fgets(&text, Int32(text.count), file) != nil else { return false }
        // After the name in parentheses: the state, and further on the processor time in hundredths of a second.
        let line = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let fields = (line.split(separator: ")").last ?? "").split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return false }
        return fields[0] == "R" && user + system > 50
    }
}
