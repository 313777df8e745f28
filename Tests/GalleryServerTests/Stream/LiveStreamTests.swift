import Catalog
import Encodings
import Foundation
import Images
import Logging
import TestSupport
import Testing

@testable import GalleryServer

/// A complete gallery, including its socket.
@Suite(.timeLimit(.minutes(1))) struct LiveStreamTests {
    @Test func `a gallery's pictures arrive through the socket, each in its own slot`() async throws {
        let files = try (0..<40).map { (String(format: "%02d.jpg", $0), try picture(red: UInt8($0 * 6), width: 640)) }
        try await withGallery(files) { port in
            let socket = try LiveSocket(port: port, path: "/api/v1/stream?accept=image/webp")
            try socket.send(#"{"type":"viewport","first":0,"count":25,"received":0}"#)
            var slots: [String: Int] = [:]
            var versions: [Int: String] = [:]
            var shown: [Int: Set<UInt8>] = [:]
            var received = 0
            while shown.count < 40 || !(0..<25).allSatisfy({ shown[$0]?.contains(2) == true }) {
                let frame = try socket.receive()
                guard frame.opcode == 2 else {
                    let message = try #require(
                        try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any])
                    for entry in message["tokens"] as? [[String: Any]] ?? [] {
                        let slot = try #require(entry["slot"] as? Int)
                        #expect(entry["name"] as? String == String(format: "%02d.jpg", slot))
                        if let token = entry["token"] as? String { slots[token] = slot }
                        versions[slot] = entry["version"] as? String
                    }
                    continue
                }
                received += frame.payload.count
                try socket.send(#"{"type":"received","bytes":\#(received)}"#)
                let slot = try #require(slots[Base64.url.encode(Array(frame.payload[..<16]))])
                let version = frame.payload[20..<28].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                #expect(frame.payload[17] == 0 && versions[slot] == "\(ContentVersion(rawValue: version))")
                // RIFF, its length, and WEBP: the picture starts where the head ends.
                #expect(Array(frame.payload[28..<32]) == Array("RIFF".utf8))
                #expect(shown[slot, default: []].insert(frame.payload[16]).inserted)
            }
            // An invalid message is reported as such.
            try socket.send(#"{"type":"viewport","first":0,"count":0}"#)
            var frame = try socket.receive()
            while frame.opcode != 8 { frame = try socket.receive() }
            #expect(frame.payload.prefix(2) == [0x03, 0xf0])
            #expect(String(decoding: frame.payload.dropFirst(2), as: UTF8.self).hasPrefix("count "))
        }
    }

    private func withGallery(
        _ files: [(name: String, bytes: [UInt8])], _ body: @escaping @Sendable (UInt16) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stream-\(UUID().uuidString)")
        for name in ["pictures", "front"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent("pictures/" + name)) }
        try Data("<!doctype html>".utf8).write(to: folder.appendingPathComponent("front/index.html"))
        let configuration = Gallery.Configuration(
            dataFolder: folder.path + "/data", publicFolder: folder.path + "/front")
        let gallery = try await Gallery.open(
            configuration, sources: [.folder(path: folder.path + "/pictures")],
            workers: try TestGallery.workers.get(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let address = try await gallery.start()
        let port = try #require(URL(string: address)?.port)
        let result = await withCheckedContinuation { done in
            inThread { done.resume(returning: Result { try body(UInt16(port)) }) }
        }
        await gallery.stop(within: .seconds(5))
        try result.get()
    }
}
