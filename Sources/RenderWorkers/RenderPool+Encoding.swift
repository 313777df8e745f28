import CLinux
import Glibc
import Renditions
import Scheduling

extension RenderPool: PixelEncoding {
    public func encode(
        _ pixels: [UInt8], width: Int, height: Int, as format: OutputFormat, quality: Int,
        deliver: @escaping @Sendable (Result<[UInt8], RenderError>) -> Void
    ) {
        guard let file = PixelFile(pixels) else {
            return deliver(
                .failure(RenderError(.failed, "The picture could not be encoded.", logDetail: "no memory file")))
        }
        let work = RenderJob.Work.encode(.init(width: width, height: height, format: format, quality: quality))
        _ = render(
            RenderJob(work, of: file.descriptor), priority: Priority(level: .visible, viewport: 0, distance: 0)
        ) { result in
            withExtendedLifetime(file) {
                deliver(result.map { $0.encoded?.bytes ?? [] })
            }
        }
    }
}

/// Pixels in an in-memory file, open for reading only. Closed with the last reference.
private final class PixelFile: Sendable {
    let descriptor: Int32

    init?(_ pixels: [UInt8]) {
        let writable = clinux_memory_file("pixels")
        guard writable >= 0 else { return nil }
        defer { close(writable) }
        var written = 0
        while written < pixels.count {
            let count = pixels[written...].withUnsafeBytes { write(writable, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            written += count
        }
        descriptor = open("/proc/self/fd/\(writable)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
