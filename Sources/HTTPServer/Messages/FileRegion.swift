import Glibc

/// A run of bytes of an open file. It owns the descriptor and closes it when nobody holds the region any more.
public final class FileRegion: Sendable {
    /// Open for reading, of a regular file.
    public let descriptor: Int32
    /// Where the run begins, in bytes.
    public let offset: Int64
    /// How many bytes it has.
    public let length: Int64
    private let owner: FileRegion?

    /// Takes ownership of `descriptor`.
    public init(descriptor: Int32, offset: Int64 = 0, length: Int64) {
        precondition(offset >= 0 && length >= 0, "a run of a file begins and ends within it")
        self.descriptor = descriptor
        self.offset = offset
        self.length = length
        owner = nil
    }

    private init(part range: Range<Int64>, of owner: FileRegion) {
        descriptor = owner.descriptor
        offset = owner.offset + range.lowerBound
        length = range.upperBound - range.lowerBound
        self.owner = owner
    }

    deinit {
        if owner == nil { close(descriptor) }
    }

    /// A part of this region, in bytes from its start, that shares its descriptor.
    public func part(_ range: Range<Int64>) -> FileRegion {
        precondition(range.lowerBound >= 0 && range.upperBound <= length, "a part lies within the whole")
        return FileRegion(part: range, of: self)
    }
}
