import Locking
import Logging
import Origins
import Synchronization
import Testing

/// Signatures and passwords in URLs are in no line of the log and in no text of an error.
@Suite struct SecretsTests {
    private static let secret = "Signature=s3cr3t"

    /// Keeps every line, of every level.
    private struct Ear: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    private final class Lines: Sendable {
        let all = Guarded<[String]>([])
    }

    @Test(arguments: [
        "status", "reset", "redirect", "circle", "coding", "length", "cut", "nonsense", "large", "hang",
    ])
    func `a failed fetch names its URL without query`(_ what: String) async throws {
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
        let lines = Lines()
        var configuration = Configuration()
        configuration.allowedAddresses = ["127.0.0.1"]
        configuration.retryDelay = .milliseconds(1)
        configuration.maximumRetries = 1
        configuration.maximumBytes = 1_000
        if what == "hang" { configuration.firstByteTimeout = .milliseconds(50) }
        let fetcher = try OriginFetcher(
            configuration: configuration, logger: Logger(label: "test") { _ in Ear(lines: lines) })
        let error = try #require(await fetcher.outcome(of: origin.url("/picture?\(Self.secret)")).error)
        await fetcher.shutDown()
        origin.stop()
        let said = lines.all.withLock { $0 } + ["\(error)"]
        #expect(said.count > 1)
        #expect(said.joined().contains("/picture?…"), "it is told which picture it is")
        for line in said { #expect(!line.contains("s3cr3t"), "\(line)") }
    }

    @Test(arguments: [
        "http://user:s3cr3t@127.0.0.1/", "http://127.0.0.1:99999/?s3cr3t", "ftp://127.0.0.1/?s3cr3t",
        "http://user:s3cr3t@[::x/?s3cr3t#s3cr3t", "nothing at all?s3cr3t", "http://a:s3cr3t@b@c/",
    ])
    func `a URL that cannot be used is told without what is secret of it`(_ url: String) async throws {
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: url).error)
        #expect(error.reason == .badURL)
        #expect(!"\(error)".contains("s3cr3t"), "\(error)")
        await fetcher.shutDown()
    }
}
