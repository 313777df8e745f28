import Dispatch
import EventLoops
import Glibc
import Locking
import TestSupport
import Testing

@testable import Redis

@Suite(.timeLimit(.minutes(1))) struct HostLookupTests {
    /// A resolver that responds when told to.
    private final class Resolver: Sendable {
        let asked = Guarded(0)
        let gate = DispatchSemaphore(value: 0)
        let answers: [HostAddress]

        init(_ answers: [HostAddress]) { self.answers = answers }

        func resolve(_ host: String, _ port: UInt16) -> [HostAddress] {
            asked.withLock { $0 += 1 }
            gate.wait()
            return answers
        }
    }

    private static func address(_ port: UInt16) -> [HostAddress] {
        HostAddress.resolve("127.0.0.1", port, flags: AI_NUMERICHOST)
    }

    @Test func `an address literal of either family is returned without a lookup`() async throws {
        let loop = try EventLoop(label: "test.lookup")
        for host in ["127.0.0.1", "::1"] {
            let told = Guarded<HostLookup.Answer?>(nil)
            loop.execute {
                let lookup = HostLookup(loop: loop) { _, _ in [] }
                lookup.find(host, 6_379, within: .seconds(9)) { answer in told.withLock { $0 = answer } }
            }
            #expect(await eventually { told.withLock { $0 } != nil })
            guard case .found(let found)? = told.withLock({ $0 }) else {
                return #expect(Bool(false), "the address was not found")
            }
            #expect(found.count == 1 && found.first?.family == (host == "::1" ? AF_INET6 : AF_INET))
        }
        await loop.stop()
    }

    @Test func `a hung resolver is called once, lookups time out, and its late answer is shared`() async throws {
        let loop = try EventLoop(label: "test.lookup")
        let resolver = Resolver(Self.address(1))
        let told = Guarded<[Int: HostLookup.Answer]>([:])
        let held = Guarded<HostLookup?>(nil)
        @Sendable func find(_ number: Int, within time: Duration) {
            loop.execute {
                held.withLock { $0 }?.find("cache.example", 1, within: time) { answer in
                    told.withLock { $0[number] = answer }
                }
            }
        }
        loop.execute {
            let lookup = HostLookup(loop: loop) { resolver.resolve($0, $1) }
            held.withLock { $0 = lookup }
        }
        for number in 0..<50 { find(number, within: .milliseconds(20)) }
        #expect(await eventually { told.withLock { $0.count } == 50 })
        #expect(told.withLock { $0.values.allSatisfy { $0 == .late } })
        for number in 50..<60 { find(number, within: .seconds(9)) }
        #expect(await eventually { resolver.asked.withLock { $0 } == 1 })
        resolver.gate.signal()
        #expect(await eventually { told.withLock { $0.count } == 60 })
        let found = HostLookup.Answer.found(Self.address(1))
        #expect(told.withLock { told in (50..<60).allSatisfy { told[$0] == found } })
        #expect(resolver.asked.withLock { $0 } == 1)
        held.withLock { $0 = nil }
        await loop.stop()
    }

    @Test func `a name whose lookup hangs delays no other name`() async throws {
        let loop = try EventLoop(label: "test.lookup")
        let resolver = Resolver([])
        let told = Guarded<[HostLookup.Answer]>([])
        let held = Guarded<HostLookup?>(nil)
        loop.execute {
            let lookup = HostLookup(loop: loop) { host, port in
                host == "hangs.example" ? resolver.resolve(host, port) : Self.address(port)
            }
            held.withLock { $0 = lookup }
            lookup.find("hangs.example", 1, within: .seconds(60)) { answer in told.withLock { $0.append(answer) } }
            lookup.find("good.example", 2, within: .seconds(60)) { answer in told.withLock { $0.append(answer) } }
        }
        #expect(await eventually { told.withLock { $0 } == [.found(Self.address(2))] })
        resolver.gate.signal()
        #expect(await eventually { told.withLock { $0.last } == .unknown })
        held.withLock { $0 = nil }
        await loop.stop()
    }

    @Test func `a slow lookup does not shorten the greeting timeout, and all addresses are tried`() async throws {
        let loop = try EventLoop(label: "test.lookup")
        let dumb = FakeRedis { $0.ignore() }
        let good = FakeRedis { conversation in
            conversation.greet()
            conversation.ignore()
        }
        let refusing = FakeRedis { _ in }
        refusing.close()
        let resolver = Resolver(
            Self.address(refusing.port) + Self.address(dumb.port) + Self.address(good.port))
        var configuration = RedisClient.Configuration()
        configuration.lookupTime = .milliseconds(50)
        configuration.greetingTime = .milliseconds(100)
        let client = try RedisClient(
            RedisAddress("redis://cache.example"), configuration: configuration, loop: loop,
            lookup: HostLookup(loop: loop) { resolver.resolve($0, $1) })
        let states = Guarded<[RedisClient.State]>([])
        client.start { state in states.withLock { $0.append(state) } }
        #expect(await eventually { states.withLock { $0.contains(.disconnected("resolving its name timed out")) } })
        for _ in 0..<9 { resolver.gate.signal() }
        #expect(await eventually { client.isConnected })
        #expect(dumb.connections == 1 && good.connections == 1)
        await client.stop()
        await loop.stop()
        dumb.close()
        good.close()
    }
}
