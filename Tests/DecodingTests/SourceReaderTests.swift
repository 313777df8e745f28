import Glibc
import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct SourceReaderTests {
    /// A file without a name; the descriptor is closed when `body` returns.
    private func withFile<Result>(_ bytes: [UInt8], _ body: (Int32) throws -> Result) throws -> Result {
        var name = Array("/tmp/tessera-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        unlink(name)
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, bytes.count - written) }
            try #require(count > 0)
            written += count
        }
        return try body(descriptor)
    }

    @Test func `a file reads like the same bytes in memory, at any offset`() throws {
        let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try withFile(bytes) { descriptor in
            let file = try SourceReader(.descriptor(descriptor), stop: RenderStop())
            let memory = try SourceReader(.bytes(bytes), stop: RenderStop())
            for (offset, count) in [
                (0, 10), (65_530, 12), (65_536, 200_000), (10, 399_990), (399_999, 5), (0, 400_000),
            ] {
                for reader in [file, memory] {
                    #expect(reader.seek(to: Int64(offset), whence: SEEK_SET) == offset)
                    #expect(reader.chunk(upTo: count) == Array(bytes[offset..<min(offset + count, bytes.count)]))
                }
            }
            #expect(!file.wasReadPastEnd)
            #expect(file.chunk(upTo: 1).isEmpty)
            #expect(file.wasReadPastEnd)
        }
    }

    @Test func `rendering leaves the descriptor open and its offset unchanged`() throws {
        let jpeg = try Sample.jpeg(width: 800, height: 600)
        try withFile(jpeg) { descriptor in
            lseek(descriptor, 7, SEEK_SET)
            let renderer = try Renderer()
            _ = try renderer.render(.descriptor(descriptor), as: .tile, format: .jpeg, stop: RenderStop())
            #expect(lseek(descriptor, 0, SEEK_CUR) == 7)
            #expect(fcntl(descriptor, F_GETFD) >= 0)
        }
    }

    @Test func `a file that shrinks while it is read ends early and causes no crash`() throws {
        try withFile((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }) { descriptor in
            let reader = try SourceReader(.descriptor(descriptor), stop: RenderStop())
            ftruncate(descriptor, 100_000)
            _ = reader.seek(to: 90_000, whence: SEEK_SET)
            #expect(reader.chunk(upTo: 50_000).count == 10_000)
            #expect(reader.chunk(upTo: 50_000).isEmpty)
            #expect(reader.wasReadPastEnd)
        }
    }

    @Test func `seeking outside the original fails and does not overflow`() throws {
        let reader = try SourceReader(.bytes([1, 2, 3]), stop: RenderStop())
        #expect(reader.seek(to: .max, whence: SEEK_END) == -1)
        #expect(reader.seek(to: .min, whence: SEEK_CUR) == -1)
        #expect(reader.seek(to: 4, whence: SEEK_SET) == -1)
        #expect(reader.seek(to: 0, whence: 77) == -1)
        #expect(reader.seek(to: -1, whence: SEEK_END) == 2)
    }

    @Test func `a stopped reader returns no more data`() throws {
        let stop = RenderStop()
        let reader = try SourceReader(.bytes([1, 2, 3]), stop: stop)
        stop.stop()
        var target = [UInt8](repeating: 0, count: 2)
        #expect(target.withUnsafeMutableBytes { reader.read(into: $0) } == -1)
    }

    @Test func `a read error is not blamed on the picture`() {
        for descriptor in [Int32(-1), 987_654] {
            let error = #expect(throws: RenderError.self) {
                try SourceReader(.descriptor(descriptor), stop: RenderStop())
            }
            #expect(error?.reason == .unreadable && error?.isPermanent == false)
        }
    }
}
