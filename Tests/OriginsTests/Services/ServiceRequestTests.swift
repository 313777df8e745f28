import Logging
import Testing

@testable import Origins

@Suite struct ServiceRequestTests {
    private let fetcher: OriginFetcher

    init() throws {
        fetcher = try OriginFetcher(
            configuration: Configuration(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func failure(_ url: String) async -> String? {
        do throws(ServiceRequestFailure) {
            _ = try await fetcher.send(ServiceRequest(url: url), timeout: .seconds(20), longestBody: 100)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a service may be in a local network, and not where machines get their credentials`() async {
        for host in ["169.254.169.254", "[fe80::1]", "0.0.0.0", "[::ffff:169.254.169.254]"] {
            #expect(await failure("http://\(host)/") == "its address is not allowed", "\(host)")
        }
        // Nothing listens there.
        #expect(await failure("http://127.0.0.1:1/") != "its address is not allowed")
        #expect(await failure("file:///etc/passwd") == "its address is not a URL")
        #expect(await failure("http://user@127.0.0.1/") == "its address is not a URL")
    }

    @Test func `a picture does not reuse a service's connection to a private address`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(10)) }
        let response = try await fetcher.send(
            ServiceRequest(url: origin.url("/keys")), timeout: .seconds(20), longestBody: 100)
        #expect(response.body == pattern(10))
        #expect(await fetcher.outcome(of: origin.url("/a")).error?.reason == .addressRefused)
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a request after the shutdown fails at once`() async {
        await fetcher.shutDown()
        #expect(await failure("http://127.0.0.1:1/") == "the request cannot be sent")
    }
}
