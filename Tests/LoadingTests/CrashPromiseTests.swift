import Glibc
import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// Promise 10 against a real `kill -9`: a child of this process fills the caches until it is killed.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CrashPromiseTests {
    private static let folderVariable = "TESSERA_CRASH_FOLDER"
    private static let images = 40 as UInt64

    private static func content(of id: UInt64) -> [UInt8] {
        picture(10_000 + Int(id) * 977, seed: UInt8(truncatingIfNeeded: id))
    }

    private static func fixture(in folder: String) throws -> LoaderFixture {
        let fixture = try LoaderFixture(in: folder) { $0.originalBytes = 400_000 }
        fixture.origins.answer = { request in
            content(of: request.url.split(separator: "/").last.flatMap { UInt64($0) } ?? 0)
        }
        return fixture
    }

    /// Runs only in the child, until it is killed or the parent's time limit is over.
    @Test(.enabled(if: getenv(folderVariable) != nil)) func `the child fills the caches until killed`() async throws {
        let fixture = try Self.fixture(in: String(cString: getenv(Self.folderVariable)))
        var random = SystemRandomNumberGenerator()
        let deadline = ContinuousClock.now + .seconds(90)
        while ContinuousClock.now < deadline {
            let id = UInt64.random(in: 0..<Self.images, using: &random)
            _ = await fixture.load(fixture.remote(id), [.tile, .screen, .original].randomElement() ?? .tile)
        }
    }

    @Test(.enabled(if: getenv(folderVariable) == nil), arguments: [3, 40, 150])
    func `kill -9 leaves nothing truncated behind`(fetches: Int) async throws {
        let folder = LoaderFixture.makeFolder()
        let child = try spawn(in: folder)
        // The test must poll: only the operating system shows how far the child has come.
        let deadline = ContinuousClock.now + .seconds(60)
        while writes(of: child) < fetches * 8, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let fixture = try Self.fixture(in: folder)
        for id in 0..<Self.images {
            let content = Self.content(of: id)
            switch await fixture.load(fixture.remote(id), .original) {
            case .success(.file(let file)):
                #expect(try file.descriptor.read(1 << 20, at: 0) == content)
            case .success(.partial(let original)): #expect(try await original.rest() == content)
            case let other: Issue.record("\(other)")
            }
            let tile = await fixture.load(fixture.remote(id)).bytes
            // The cached screen rendition may be the source instead of the original.
            let grounds = [content, MockWorkers.picture(.screen, .webp, of: content)]
            #expect(grounds.map { MockWorkers.picture(.tile, .webp, of: $0) }.contains(tile?.bytes))
        }
        await fixture.close()
    }

    /// The child's write system calls, as counted by the kernel.
    private func writes(of child: pid_t) -> Int {
        guard let file = fopen("/proc/\(child)/io", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 200)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
            if words.first == "syscw:", let count = words.last.flatMap({ Int($0.filter(\.isNumber)) }) { return count }
        }
        return 0
    }

    private func spawn(in folder: String) throws -> pid_t {
        let arguments = [
            "/proc/self/exe", "--testing-library", "swift-testing", "--filter", "CrashPromiseTests",
        ]
        var environment: [String] = ["\(Self.folderVariable)=\(folder)"]
        for name in ["PATH", "LD_LIBRARY_PATH", "HOME"] {
            if let value = getenv(name) { environment.append("\(name)=\(String(cString: value))") }
        }
        var pointers = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for pointer in pointers + variables { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var child: pid_t = 0
        // The path of this program. In the child, /proc/self would be another one.
        var path = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        try #require(length > 0)
        try #require(posix_spawn(&child, path, &actions, nil, &pointers, &variables) == 0)
        return child
    }
}
