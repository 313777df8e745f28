import CLinux
import Glibc

/// A list on disk, read from its beginning to its end in pieces: never whole in memory.
struct ListFile {
    private static let pieceSize = 65_536

    let path: String
    let format: Source.ListFormat
    /// Bytes of the longest line or record.
    let limit: Int
    let calls: FileSystemCalls

    /// An `errno`.
    struct Failure: Error {
        let code: Int32
    }

    /// The file as it is now.
    func status() throws(Failure) -> (stamp: FileStamp, status: stat) {
        var status = stat()
        guard calls.status(path, &status) == 0 else { throw Failure(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(code: EISDIR) }
        return (FileStamp(status), status)
    }

    /// Hands out every entry until `isStopped` says true.
    func read(isStopped: () -> Bool, emit: (ListEntry) throws -> Void) throws {
        var reader = format.reader(limit: limit)
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
                try splitter.finish { try reader.read($0, emit: emit) }
                return try reader.finish(emit: emit)
            }
            try splitter.read(UnsafeRawBufferPointer(rebasing: piece[..<count])) { try reader.read($0, emit: emit) }
        }
    }
}
