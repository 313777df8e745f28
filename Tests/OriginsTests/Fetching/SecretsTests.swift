import Locking
import Logging
import Origins
import Synchronization
import TestSupport
import Testing

/// Signatures and passwords in URLs appear in no log line and no error text.
@Suite struct SecretsTests {
    private static let secret = "Signature=s3cr3t"

    @Test(arguments: [
        "status", "reset", "redirect", "circle", "coding", "length", "cut", "nonsense", "large", "hang",
    ])
    func `a failed fetch names its URL without the query`(_ what: String) async throws {
        let origin = ScriptedOrigin { visit in
            switch what {
            case "status": visit.answer("404 No")
            case "reset": visit.reset()
            case "redirect": visit.answer("302 F", ["Location: http://u:\(Self.secret)@h:x/?\(Self.secret)"])
            case "circle": visit.answer("302 F", ["Location: /picture?\(Self.secret)"])
            case "coding": visit.answer("200 OK", ["Content-Encoding: gzip"], body: pattern(9))
            case "length": visit.answer("200 OK", ["Content-Length: 7"], body: pattern(9))
            case "cut":
                visit.send(visit.head("200 OK", ["Content-Length: 9"]))
                visit.close()
            case "nonsense":
                visit.send("SSH-2.0\r\n")
                visit.close()
            case "large": visit.answer(body: pattern(5_000))
            default: visit.hang()
            }
        }
        let log = LogRecorder(from: .trace)
        var configuration = Configuration()
        configuration.allowedAddresses = ["127.0.0.1"]
        configuration.retryDelay = .milliseconds(1)
        configuration.maximumRetries = 1
        configuration.maximumBytes = 1_000
        configuration.headers = try OriginHeader.parse(["X-Key: s3cr3t"])
        if what == "hang" { configuration.firstByteTimeout = .milliseconds(50) }
        let fetcher = try OriginFetcher(
            configuration: configuration, logger: log.logger)
        let error = try #require(await fetcher.outcome(of: origin.url("/picture?\(Self.secret)")).error)
        await fetcher.shutDown()
        origin.stop()
        let said = log.lines + ["\(error)"]
        #expect(said.count > 1)
        #expect(said.joined().contains("/picture?…"), "the log names the picture")
        for line in said { #expect(!line.contains("s3cr3t"), "\(line)") }
    }

    @Test(arguments: [
        "http://user:s3cr3t@127.0.0.1/", "http://127.0.0.1:99999/?s3cr3t", "ftp://127.0.0.1/?s3cr3t",
        "http://user:s3cr3t@[::x/?s3cr3t#s3cr3t", "nothing at all?s3cr3t", "http://a:s3cr3t@b@c/",
    ])
    func `the error for an invalid URL contains none of its secrets`(_ url: String) async throws {
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: url).error)
        #expect(error.reason == .badURL)
        #expect(!"\(error)".contains("s3cr3t"), "\(error)")
        await fetcher.shutDown()
    }
}
