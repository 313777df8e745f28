import Dispatch
import Glibc
import Images
import Synchronization
import Testing

@testable import Renditions

@Suite struct ConcurrencyTests {
    @Test func `many threads may render from one descriptor, and each error is its own`() throws {
        let good = try Sample.jpeg(width: 640, height: 480)
        var name = Array("/tmp/tessera-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        unlink(name)
        defer { close(descriptor) }
        #expect(good.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == good.count)
        let damaged = Array(Sample.png(Sample.quarters(width: 64, height: 64)).prefix(4000))
        let renderer = try Renderer()
        let expected = try renderer.render(.descriptor(descriptor), as: .tile, format: .webp, stop: RenderStop()).bytes
        let same = Mutex(0)
        let refused = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            if index % 3 == 0 {
                do throws(RenderError) {
                    _ = try renderer.render(.bytes(damaged), as: .tile, format: .webp, stop: RenderStop())
                } catch {
                    if error.reason == .truncated { refused.withLock { $0 += 1 } }
                }
            } else {
                let rendered = try? renderer.render(
                    .descriptor(descriptor), as: .tile, format: .webp, stop: RenderStop())
                if rendered?.bytes == expected { same.withLock { $0 += 1 } }
            }
            if index % 5 == 0 { renderer.threadWillEnd() }
        }
        #expect(same.withLock { $0 } == 16)
        #expect(refused.withLock { $0 } == 8)
    }
}
