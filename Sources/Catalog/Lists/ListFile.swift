import CLinux
import Glibc

/// A URL list on disk, read sequentially in pieces, so that it is never in memory as a whole.
struct ListFile {
    private static let pieceSize = 65_536

    let path: String
    let format: Source.ListFormat
    /// The longest line or record in bytes.
    let limit: Int
    let calls: FileSystemCalls

    /// A failed call, with its `errno`.
    struct Failure: Error {
        let code: Int32
    }

    /// The file's present state.
    func status() throws(Failure) -> (stamp: FileStamp, status: stat) {
        var status = stat()
        guard calls.status(path, &status) == 0 else { throw Failure(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(code: EISDIR) }
        return (FileStamp(status), status)
    }

    /// Emits every entry until `isStopped` returns true.
    func read(isStopped: () -> Bool, emit: (ListEntry) throws -> Void) throws {
        var reader = format.reader(limit: limit)
        var decoder = ListDecoder()
        var splitter = LineSplitter(limit: limit)
        let descriptor = calls.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
        defer { piece.deallocate() }
        while !isStopped() {
            let count = calls.read(descriptor, into: piece)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            guard count > 0 else {
                try decoder.finish { try splitter.read($0) { try reader.read($0, emit: emit) } }
                try splitter.finish { try reader.read($0, emit: emit) }
                return try reader.finish(emit: emit)
            }
            try decoder.read(UnsafeRawBufferPointer(rebasing: piece[..<count])) {
                try splitter.read($0) { try reader.read($0, emit: emit) }
            }
        }
    }
}
