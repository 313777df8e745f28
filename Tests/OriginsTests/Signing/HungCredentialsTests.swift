import Dispatch
import EventLoops
import Locking
import Logging
import Testing

@testable import Origins

/// A credential provider on a loop of its own, with files that a test provides.
private actor Provider {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let readFile: @Sendable (String) -> String?
    private var provider: CredentialProvider?

    init(readFile: @escaping @Sendable (String) -> String?) throws {
        loop = try EventLoop(label: "test.credentials")
        self.readFile = readFile
    }

    func start() throws {
        let settings = CredentialSettings(environment: ["AWS_SHARED_CREDENTIALS_FILE": "/hung"])
        provider = try CredentialProvider(
            ObjectStore(endpoint: "http://store.test", region: "here", credentials: settings), loop,
            CurlDriver(loop: loop, idleConnections: 1), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            fileDeadline: .milliseconds(50), readFile: readFile)
    }

    func credentials() async -> Result<Credentials?, OriginError> {
        await withCheckedContinuation { continuation in
            provider?.credentials { continuation.resume(returning: $0) }
        }
    }

    func stop() { provider?.driver.shutDown() }
}

@Suite struct HungCredentialsTests {
    private static let content = "[default]\naws_access_key_id=KEY\naws_secret_access_key=secret\n"

    @Test(.timeLimit(.minutes(1))) func `a disk that hangs fails the requests in time, and is read once`() async throws
    {
        let (held, readings) = (DispatchSemaphore(value: 0), Guarded(0))
        let provider = try Provider { _ in
            readings.withLock { $0 += 1 }
            held.wait()
            return Self.content
        }
        try await provider.start()
        async let first = provider.credentials()
        async let second = provider.credentials()
        for result in await [first, second] {
            guard case .failure(let error) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.reason == .credentials)
        }
        held.signal()
        #expect(readings.withLock { $0 } == 1)
        await provider.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `a file that is read in time is used`() async throws {
        let provider = try Provider { _ in Self.content }
        try await provider.start()
        #expect(try await provider.credentials().get()?.accessKey == "KEY")
        await provider.stop()
    }
}
