import Addresses
import Dispatch
import TestSupport
import Testing

@testable import Origins

/// Signed requests go only to the object store.
@Suite struct SignedFetchTests {
    private func fetcher(endpoint: String, allowing: [String] = [], change: (inout Configuration) -> Void = { _ in })
        throws
        -> OriginFetcher
    {
        try OriginFetcher.forTests {
            change(&$0)
            $0.allowedAddresses = allowing
            $0.objectStore = ObjectStore(
                endpoint: endpoint, region: "here",
                credentials: CredentialSettings(environment: [
                    "AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
                ]))
        }
    }

    @Test func `a request to the store is signed, even at a private address, and its path stays unchanged`()
        async throws
    {
        let origin = ScriptedOrigin { $0.answer(body: pattern(100)) }
        let fetcher = try fetcher(endpoint: origin.url(""))
        let outcome = await fetcher.outcome(of: origin.url("/b/a//..%2F/../x"), isSigned: true)
        #expect(outcome.bytes == pattern(100))
        let request = try #require(origin.requests.first)
        #expect(request.target == "/b/a//..%2F/../x")
        let signature = try #require(request.fields["authorization"])
        #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=KEY/") && signature.contains("/here/s3/aws4_request"))
        #expect(signature.contains("x-amz-security-token") && request.fields["x-amz-security-token"] == "token")
        #expect(!signature.contains("accept-encoding"), "fields that proxies change are not signed")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a signed request is never sent to another host`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let fetcher = try fetcher(endpoint: "http://store.test", allowing: ["127.0.0.0/8"])
        let outcome = await fetcher.outcome(of: origin.url(), isSigned: true)
        #expect(outcome.error?.reason == .badURL && origin.requests.isEmpty)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `however many fetches wait, all fail if there are no credentials`() async throws {
        let (count, gate) = (5_000, DispatchSemaphore(value: 0))
        // The metadata service answers once all fetches wait.
        let service = ScriptedOrigin { request in
            gate.wait()
            gate.signal()
            request.answer("404 Not Found")
        }
        let fetcher = try OriginFetcher.forTests {
            $0.objectStore = ObjectStore(
                endpoint: "http://store.test", region: "here",
                credentials: CredentialSettings(environment: [
                    "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url(""), "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
                ]))
        }
        let failed = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    await fetcher.outcome(of: "http://store.test/b/\(number)", isSigned: true).error != nil
                }
            }
            #expect(await eventually { fetcher.statistics.fetches == count })
            gate.signal()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed == count)
        await fetcher.shutDown()
        service.stop()
    }

    @Test func `an unreachable store is probed again at a constant interval`() async throws {
        let origin = ScriptedOrigin { $0.reset() }
        let fetcher = try fetcher(endpoint: origin.url("")) {
            $0.failuresUntilSuspended = 1
            $0.maximumRetries = 0
            $0.suspension = .seconds(60)
            $0.storeSuspension = .milliseconds(20)
        }
        var waits: [Duration] = []
        while waits.count < 6 {
            let error = try #require(await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).error)
            guard error.reason == .suspended else { continue }
            let wait = try #require(error.retryAfter)
            waits.append(wait)
            try #require(wait <= .milliseconds(20))
            try await Task.sleep(for: wait)
        }
        #expect(origin.connections > 3)
        await fetcher.shutDown()
        origin.stop()
    }

    /// Transient failures of a request.
    private static let passing: [(name: String, script: ScriptedOrigin.Script)] = [
        ("reset", { $0.reset() }), ("closed", { $0.close() }), ("silent", { $0.hang() }),
        (
            "cut",
            { visit in
                visit.send(visit.head("200 OK", ["Content-Length: 100"]))
                visit.close()
            }
        ),
        ("500", { $0.answer("500 Internal Server Error") }), ("502", { $0.answer("502 Bad Gateway") }),
        ("503", { $0.answer("503 Slow Down") }), ("504", { $0.answer("504 Gateway Timeout") }),
        ("429", { $0.answer("429 Too Many Requests") }),
    ]

    @Test(arguments: passing.map(\.name))
    func `a transient failure of the store, but not of another origin, becomes 503 with a retry time`(way: String)
        async throws
    {
        let script = try #require(Self.passing.first { $0.name == way }?.script)
        let origin = ScriptedOrigin(script)
        let fetcher = try fetcher(endpoint: origin.url(""), allowing: ["127.0.0.1"]) {
            $0.maximumRetries = 0
            $0.firstByteTimeout = .milliseconds(300)
        }
        let store = try #require(await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).error)
        #expect(store.status == 503 && store.retryAfter == .seconds(2), "\(store)")
        let stranger = try #require(await fetcher.outcome(of: origin.url("/b/a")).error)
        #expect(stranger.reason == store.reason && stranger.retryAfter == nil, "\(stranger)")
        #expect(stranger.status == (["503", "429"].contains(way) ? 503 : ["silent", "504"].contains(way) ? 504 : 502))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an unreachable store is 503 from the first request on, and a refusal is 502`() async throws {
        let origin = ScriptedOrigin { $0.answer("403 Forbidden", body: Array("<Error/>".utf8)) }
        let fetcher = try fetcher(endpoint: origin.url("")) { $0.maximumRetries = 0 }
        let refused = try #require(await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).error)
        #expect(refused.status == 502 && refused.retryAfter == nil)
        origin.stop()
        let gone = try #require(await fetcher.outcome(of: origin.url("/b/b"), isSigned: true).error)
        #expect(gone.status == 503 && gone.retryAfter == .seconds(2), "\(gone)")
        await fetcher.shutDown()
    }

    @Test func `the Retry-After of the store is passed on`() async throws {
        let origin = ScriptedOrigin { $0.answer("503 Slow Down", ["Retry-After: 7"]) }
        let fetcher = try fetcher(endpoint: origin.url("")) { $0.maximumRetries = 0 }
        let error = try #require(await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).error)
        #expect(error.status == 503 && error.retryAfter == .seconds(7))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a redirect of a signed request is not followed`() async throws {
        let origin = ScriptedOrigin { $0.answer("307 Moved", ["Location: /elsewhere"], body: Array("<Error/>".utf8)) }
        let fetcher = try fetcher(endpoint: origin.url(""))
        let outcome = await fetcher.outcome(of: origin.url("/b/a"), isSigned: true)
        #expect(outcome.error?.reason == .status(307) && origin.requests.count == 1)
        #expect(outcome.error?.refusal?.body == Array("<Error/>".utf8))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an unsigned request does not reuse the store's connection to a private address`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(10)) }
        let fetcher = try fetcher(endpoint: origin.url(""))
        #expect(await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).bytes == pattern(10))
        #expect(await fetcher.outcome(of: origin.url("/b/a")).error?.reason == .addressRefused)
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a refusal is reported with a bounded prefix of its body`() async throws {
        let origin = ScriptedOrigin {
            $0.answer("403 No", ["x-amz-bucket-region: there"], body: [UInt8](repeating: 65, count: 100_000))
        }
        let fetcher = try fetcher(endpoint: origin.url(""))
        let error = await fetcher.outcome(of: origin.url("/b/a"), isSigned: true).error
        #expect(error?.reason == .status(403) && error?.refusal?.region == "there")
        #expect((1...(16 << 10)).contains(error?.refusal?.body.count ?? 0))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["200 OK", "204 No Content"])
    func `an upload is sent whole and signed with its digest, and only its completion is reported`(status: String)
        async throws
    {
        let origin = ScriptedOrigin { $0.answer(status) }
        let fetcher = try fetcher(endpoint: origin.url(""))
        let outcome = await fetcher.outcome(
            of: origin.url("/b/t"), isSigned: true,
            upload: .init(bytes: Array("abc".utf8), mediaType: "application/octet-stream"))
        #expect(outcome.isFinished && outcome.starts.isEmpty && outcome.error == nil)
        let request = try #require(origin.requests.first)
        #expect(request.method == "PUT" && request.target == "/b/t" && request.body == Array("abc".utf8))
        #expect(request.fields["content-type"] == "application/octet-stream" && request.fields["expect"] == nil)
        // FIPS 180-2, appendix B.1.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(request.fields["x-amz-content-sha256"] == sum)
        #expect(request.fields["authorization"]?.contains("content-type") == true)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an upload is retried after a transient failure and fails on a refusal`() async throws {
        let origin = ScriptedOrigin { visit in
            switch (visit.request.target, visit.request.number) {
            case ("/b/t", 1): visit.answer("503 Slow Down", body: Array("<Error/>".utf8))
            case ("/b/t", _): visit.answer()
            default: visit.answer("403 Forbidden", body: Array("<Error/>".utf8))
            }
        }
        let fetcher = try fetcher(endpoint: origin.url(""))
        let upload = OriginRequest.Upload(bytes: pattern(300_000), mediaType: "application/octet-stream")
        #expect(await fetcher.outcome(of: origin.url("/b/t"), isSigned: true, upload: upload).isFinished)
        #expect(origin.requests.map(\.body.count) == [300_000, 300_000])
        let refused = await fetcher.outcome(of: origin.url("/b/u"), isSigned: true, upload: upload)
        #expect(refused.error?.reason == .status(403) && origin.requests.count == 3)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the store may be in a private network but not at a metadata address`() {
        for text in ["127.0.0.1", "10.1.2.3", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "::ffff:10.0.0.1"] {
            #expect(IPAddress(text).map(AddressFilter.isOfOwnNetwork) == true, "\(text)")
        }
        for text in ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "8.8.8.8"] {
            #expect(IPAddress(text).map(AddressFilter.isOfOwnNetwork) == false, "\(text)")
        }
        #expect(IPAddress("169.254.169.254").map(AddressFilter.isOfMetadata) == true)
        #expect(IPAddress("10.0.0.1").map(AddressFilter.isOfMetadata) == false)
    }
}
