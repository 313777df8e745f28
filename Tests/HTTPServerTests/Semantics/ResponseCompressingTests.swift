import EventLoops
import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct ResponseCompressingTests {
    private let loop: EventLoop
    private let text = Array(String(repeating: #"{"id":"c5yfxp9rersr1"},"#, count: 100).utf8)

    init() throws { loop = try EventLoop(label: "test") }

    private func compressed(_ response: Response, accepting accepted: String? = "gzip") throws -> Response {
        var headers: HTTPFields = [:]
        headers[.acceptEncoding] = accepted
        return response.compressed(for: try Request(.get, "/", headers: headers, loop: loop))
    }

    private func bytes(_ response: Response) -> [UInt8]? {
        guard case .bytes(let bytes) = response.body else { return nil }
        return bytes
    }

    @Test func `decompressing the body gives the original`() throws {
        let response = try compressed(Response(body: .bytes(text)))
        #expect(response.headers[.contentEncoding] == "gzip")
        #expect(response.headers[.vary] == "Accept-Encoding")
        let packed = try #require(bytes(response))
        #expect(packed.count < text.count / 10)
        let folder = TemporaryFolder()
        folder.write(packed, to: "text.gz")
        #expect(unpacked(folder.path + "/text.gz") == text)
    }

    @Test(arguments: [nil, "br", "gzip;q=0", "identity"] as [String?])
    func `a client that does not accept gzip gets the plain body, still with Vary`(accepted: String?) throws {
        let response = try compressed(Response(body: .bytes(text)), accepting: accepted)
        #expect(bytes(response) == text)
        #expect(response.headers[.contentEncoding] == nil)
        #expect(response.headers[.vary] == "Accept-Encoding")
    }

    @Test func `an existing Vary field is kept`() throws {
        let response = try compressed(Response(headers: [.vary: "Origin"], body: .bytes(text)))
        #expect(response.headers[values: .vary] == ["Origin", "Accept-Encoding"])
    }

    @Test func `short, encoded, tagged and prepared responses are left alone`() throws {
        let answers = [
            Response(), Response(body: .bytes(Array(text.prefix(1_023)))),
            Response(headers: [.contentEncoding: "br"], body: .bytes(text)),
            Response(headers: [.eTag: "\"1\""], body: .bytes(text)),
            Response.prepared(try PreparedHead(headers: [:]), body: .bytes(text)),
        ]
        for answer in answers {
            let response = try compressed(answer)
            #expect(response.headers == answer.headers && bytes(response) == bytes(answer))
        }
    }

    @Test func `a body that compression would shrink by less than a tenth is sent plain`() throws {
        var random = SeededRandom(seed: 1)
        let noise = (0..<4_096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let response = try compressed(Response(body: .bytes(noise)))
        #expect(bytes(response) == noise && response.headers[.contentEncoding] == nil)
    }

    private func unpacked(_ path: String) -> [UInt8] {
        guard let pipe = popen("gzip -dc '\(path)'", "r") else { return [] }
        defer { pclose(pipe) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = fread(&piece, 1, piece.count, pipe)
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }
}
