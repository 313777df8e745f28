import Glibc
import Images
import Renditions

/// Reads an original for a decoder, at any place and with few system calls. It never maps a file into memory: a file
/// that another program cuts short meanwhile would take the process down.
///
/// Used by one thread at a time, the one that renders.
final class SourceReader {
    /// What a reader tells of the file's beginning: enough for its magic number and nearly always for its header.
    static let headLength = 64 << 10
    private static let windowLength = 128 << 10

    /// Bytes of the whole original, without what is hidden.
    private(set) var length: Int64
    /// Bytes of the whole original.
    let fileLength: Int64
    /// The first bytes, at most `headLength`.
    let head: [UInt8]
    private(set) var position: Int64 = 0
    /// A decoder wanted more than there is. Reset it before each pass.
    var wasReadPastEnd = false
    /// The errno of the first read that failed.
    private(set) var failure: Int32?
    /// Whether reading fails once the work is to be stopped.
    var heedsStop = true
    /// The first bytes as decoders read them.
    private var presented: [UInt8]
    /// Where the parts are that are not read, in order and apart.
    private var hidden: [Range<Int64>] = []

    private let source: RenderSource
    private let stop: RenderStop
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0

    /// - Throws: `RenderError` when the source is empty or cannot be read.
    init(_ source: RenderSource, stop: RenderStop) throws(RenderError) {
        self.source = source
        self.stop = stop
        switch source {
        case .bytes(let bytes):
            fileLength = Int64(bytes.count)
            length = fileLength
            head = Array(bytes.prefix(Self.headLength))
        case .descriptor(let descriptor):
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Self.unreadable(EINVAL) }
            fileLength = Int64(status.st_size)
            length = fileLength
            do {
                head = try Self.read(descriptor, at: 0, upTo: Self.headLength)
            } catch {
                throw Self.unreadable(error.number)
            }
        }
        presented = head
        guard !head.isEmpty else { throw RenderError(.empty, "This file is empty.") }
    }

    /// By which the file is known again under another name.
    var digest: ContentDigest { head.withUnsafeBytes { ContentDigest(head: $0, size: fileLength) } }

    /// Copies what follows: as much as fits, or as there is. Some decoders take less than they asked for as the end.
    ///
    /// - Returns: The number of bytes; 0 at the end; -1, with `errno` set, when reading failed or the work was stopped.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        guard !heedsStop || !stop.isStopped else {
            errno = ECANCELED
            return -1
        }
        var filled = 0
        while filled < target.count {
            let count: Int
            do {
                count = try copy(to: UnsafeMutableRawBufferPointer(rebasing: target[filled...]))
            } catch {
                failure = failure ?? error.number
                errno = error.number
                return -1
            }
            if count == 0 { break }
            position += Int64(count)
            filled += count
        }
        if filled == 0, !target.isEmpty { wasReadPastEnd = true }
        return filled
    }

    /// The bytes that follow, at most `count`; none at the end, and none when reading failed or the work was stopped.
    func chunk(upTo count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            filled = max(0, read(into: UnsafeMutableRawBufferPointer(target)))
        }
    }

    /// The bytes from a position on; nil unless they are all there. Moves the position unless they are in the head.
    func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
        let end = position + Int64(count)
        if end <= Int64(head.count) { return head[Int(position)..<Int(end)] }
        guard end <= length, seek(to: position, whence: SEEK_SET) == position else { return nil }
        let bytes = chunk(upTo: count)
        return bytes.count == count ? bytes[...] : nil
    }

    /// As lseek(2): the new position from the beginning, or -1 when it would be outside of the original.
    func seek(to offset: Int64, whence: Int32) -> Int64 {
        let base: Int64? =
            switch whence {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: length
            default: nil
            }
        guard let base else { return -1 }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, (0...length).contains(target) else { return -1 }
        position = target
        return target
    }

    /// Reads on as if the file began with these bytes, which are as many as `head` has.
    func present(_ head: [UInt8]) {
        precondition(head.count == self.head.count)
        presented = head
    }

    /// Reads on as if the file did not have these parts: in order, apart, and within it.
    func hide(_ parts: [Range<Int64>]) {
        hidden = parts
        length = fileLength - parts.reduce(0) { $0 + Int64($1.count) }
        position = min(position, length)
    }

    /// Where in the file `position` is, and how many bytes follow before the next hidden part.
    private func place(of position: Int64) -> (start: Int64, available: Int64) {
        var start = position
        for part in hidden {
            guard part.lowerBound <= start else { return (start, part.lowerBound - start) }
            start += Int64(part.count)
        }
        return (start, fileLength - start)
    }

    /// Copies what is at hand at `position`, or reads it; 0 at the end, also where the file has become shorter.
    private func copy(to target: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        guard position < length else { return 0 }
        let (start, available) = place(of: position)
        let target = UnsafeMutableRawBufferPointer(rebasing: target.prefix(Int(clamping: available)))
        if start < Int64(presented.count) { return Self.copy(presented, from: 0, at: start, to: target) }
        switch source {
        case .bytes(let bytes):
            return Self.copy(bytes, from: 0, at: start, to: target)
        case .descriptor(let descriptor):
            if start < windowStart || start >= windowStart + Int64(window.count) {
                window = try Self.read(descriptor, at: start, upTo: Self.windowLength)
                windowStart = start
            }
            return Self.copy(window, from: windowStart, at: start, to: target)
        }
    }

    private static func copy(
        _ bytes: [UInt8], from start: Int64, at position: Int64, to target: UnsafeMutableRawBufferPointer
    ) -> Int {
        let offset = Int(position - start)
        let count = min(bytes.count - offset, target.count)
        guard count > 0 else { return 0 }
        bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
        return count
    }

    private static func read(_ descriptor: Int32, at position: Int64, upTo count: Int) throws(SystemError) -> [UInt8] {
        var failed: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count {
                let got = pread(
                    descriptor, UnsafeMutableRawPointer(buffer.baseAddress! + filled), count - filled,
                    off_t(position) + filled)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failed = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let failed { throw SystemError(number: failed) }
        return bytes
    }

    private static func unreadable(_ number: Int32) -> RenderError {
        RenderError(.unreadable, "This file cannot be read.", logDetail: String(cString: strerror(number)))
    }

    /// What this reader's failure means to who asked for a rendition, if it was the reader that failed.
    var error: RenderError? { failure.map(Self.unreadable) }

    private struct SystemError: Error {
        let number: Int32
    }
}
