import FileHeads
import Glibc
import Images
import Renditions

/// Reads an original for a decoder, at any position and with few system calls. Never maps a file into memory, because a
/// file truncated by another program would then crash the process.
///
/// Used by one thread at a time, the one that renders.
final class SourceReader: RandomAccessBytes {
    /// The number of bytes read ahead from the file's beginning: enough for its signature, and nearly always for its
    /// header.
    static let headLength = 64 << 10
    private static let windowLength = 128 << 10

    /// The number of bytes that decoders see: without hidden parts, and with what is appended.
    private(set) var length: Int64
    /// The length of the original in bytes.
    let fileLength: Int64
    /// The first bytes, at most `headLength`.
    let head: [UInt8]
    private(set) var position: Int64 = 0
    /// Whether a decoder has read past the end. Reset it before each pass.
    var wasReadPastEnd = false
    /// The errno of the first failed read.
    private(set) var failure: Int32?
    /// Whether reads fail after a stop.
    var canBeStopped = true
    /// What decoders read instead of the file.
    private var replacement: [UInt8]?
    /// Parts that decoders do not see, sorted and without overlaps.
    private var hidden: [Range<Int64>] = []
    /// What decoders see in place of single bytes, by their position in the file; sorted.
    private var replaced: [(position: Int64, byte: UInt8)] = []
    /// What decoders see after the end of the file.
    private var appended: [UInt8] = []

    private let source: RenderSource
    private let stop: RenderStop
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0

    /// - Throws: `RenderError` if the source is empty or cannot be read.
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
        guard !head.isEmpty else { throw RenderError(.empty, "This file is empty.") }
    }

    /// Identifies the file under another name.
    var digest: ContentDigest { head.withUnsafeBytes { ContentDigest(head: $0, size: fileLength) } }

    /// Copies the following bytes: as many as fit, or as there are. Some decoders treat a short read as the end of the
    /// file.
    ///
    /// - Returns: The number of bytes; 0 at the end; -1, with `errno` set, if the read failed or the work was stopped.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        guard !canBeStopped || !stop.isStopped else {
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

    /// The following bytes, at most `count`; empty at the end, and if the read failed or the work was stopped.
    func chunk(upTo count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            filled = max(0, read(into: UnsafeMutableRawBufferPointer(target)))
        }
    }

    /// The bytes at a position; nil unless all of them exist. Moves the position unless the bytes are in the head.
    package func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
        let end = position + Int64(count)
        if end <= Int64(head.count) { return head[Int(position)..<Int(end)] }
        guard end <= length, seek(to: position, whence: SEEK_SET) == position else { return nil }
        let bytes = chunk(upTo: count)
        return bytes.count == count ? bytes[...] : nil
    }

    /// Like lseek(2): the new position from the beginning, or -1 if it would be outside the original.
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

    /// Makes further reads see these bytes in place of the file.
    func substitute(_ bytes: [UInt8]) {
        replacement = bytes
        length = Int64(bytes.count)
        position = 0
    }

    /// The first bytes that the decoders see, at most `headLength`.
    var decodedHead: ArraySlice<UInt8> { (replacement ?? head).prefix(Self.headLength) }

    /// Hides these parts from further reads. They must be sorted, disjoint and within the file.
    func hide(_ parts: [Range<Int64>]) {
        hidden = parts
        setLength()
    }

    /// Makes further reads see these bytes in place of those at their positions in the file.
    func replace(_ bytes: [Int64: UInt8]) {
        var all = bytes
        for (position, byte) in replaced where all[position] == nil { all[position] = byte }
        replaced = all.map { (position: $0.key, byte: $0.value) }.sorted { $0.position < $1.position }
    }

    /// Makes further reads find these bytes after the end of the file, in place of any that were appended before.
    func append(_ bytes: [UInt8]) {
        appended = bytes
        setLength()
    }

    /// Whether decoders see something else than the file.
    var isEdited: Bool { replacement != nil || !hidden.isEmpty || !replaced.isEmpty || !appended.isEmpty }

    private func setLength() {
        length = fileLength - hidden.reduce(0) { $0 + Int64($1.count) } + Int64(appended.count)
        position = min(position, length)
    }

    /// The position in the file, and the number of bytes before the next hidden part.
    private func place(of position: Int64) -> (start: Int64, available: Int64) {
        var start = position
        for part in hidden {
            guard part.lowerBound <= start else { return (start, part.lowerBound - start) }
            start += Int64(part.count)
        }
        return (start, fileLength - start)
    }

    /// Copies buffered bytes at `position`, or reads them; 0 at the end, even if the file has become shorter.
    private func copy(to target: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        guard position < length else { return 0 }
        if let replacement { return Self.copy(replacement, from: 0, at: position, to: target) }
        let (start, available) = place(of: position)
        guard available > 0 else {
            return Self.copy(appended, from: 0, at: start - fileLength, to: target)
        }
        let target = UnsafeMutableRawBufferPointer(rebasing: target.prefix(Int(clamping: available)))
        let count = try copy(at: start, to: target)
        replace(in: UnsafeMutableRawBufferPointer(rebasing: target.prefix(count)), at: start)
        return count
    }

    private func copy(at start: Int64, to target: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        if start < Int64(head.count) { return Self.copy(head, from: 0, at: start, to: target) }
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

    private func replace(in bytes: UnsafeMutableRawBufferPointer, at start: Int64) {
        let end = start + Int64(bytes.count)
        var (low, high) = (0, replaced.count)
        while low < high {
            let middle = (low + high) / 2
            if replaced[middle].position < start { low = middle + 1 } else { high = middle }
        }
        for (position, byte) in replaced[low...].prefix(while: { $0.position < end }) {
            bytes[Int(position - start)] = byte
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

    /// The error for the caller if a read has failed.
    var error: RenderError? { failure.map(Self.unreadable) }

    private struct SystemError: Error {
        let number: Int32
    }
}
