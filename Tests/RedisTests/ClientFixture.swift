import EventLoops
import Locking
import TestSupport

@testable import Redis

/// A client of a test server, which records its states.
final class ClientFixture: Sendable {
    let client: RedisClient
    let states = Guarded<[RedisClient.State]>([])

    init(_ url: String, _ change: (inout RedisClient.Configuration) -> Void = { _ in }) throws {
        var configuration = RedisClient.Configuration()
        change(&configuration)
        client = try RedisClient(
            RedisAddress(url), configuration: configuration, loop: EventLoop(label: "test.redis"))
        client.start { [states] state in states.withLock { $0.append(state) } }
    }

    func isConnected() async -> Bool { await eventually { client.isConnected } }
    func isAway() async -> Bool { await eventually { !client.isConnected } }

    func ask(_ words: String..., within time: Duration = .seconds(5)) async -> Result<RedisReply, RedisError> {
        await ask(words.map { Array($0.utf8) }, within: time)
    }

    func ask(_ words: [[UInt8]], within time: Duration = .seconds(5)) async -> Result<RedisReply, RedisError> {
        await withCheckedContinuation { continuation in
            client.send(words, within: time) { continuation.resume(returning: $0) }
        }
    }

    func close() async {
        await client.stop()
        await client.loop.stop()
    }
}
