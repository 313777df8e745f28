import Glibc

/// A range of bytes of an open file. Owns the descriptor, and closes it when the last region using it is released.
public final class FileRegion: Sendable {
    /// Open for reading, of a regular file.
    public let descriptor: Int32
    /// The start of the range, in bytes.
    public let offset: Int64
    /// The length of the range, in bytes.
    public let length: Int64
    /// What it shares a disk with. A disk that hangs delays only the bodies of its own group.
    public let group: Int
    /// Changes bytes that were read before they are sent; nil to send them as they are.
    let edit: Edit?
    private let owner: FileRegion?

    /// - Parameters:
    ///   - bytes: Bytes of the file. Their count must not change.
    ///   - position: Where they begin in the file.
    /// - Returns: Whether they may be sent; otherwise the response is aborted.
    public typealias Edit = @Sendable (_ bytes: inout [UInt8], _ position: Int64) -> Bool

    /// Takes ownership of `descriptor`.
    public init(descriptor: Int32, offset: Int64 = 0, length: Int64, group: Int = 0, edit: Edit? = nil) {
        precondition(offset >= 0 && length >= 0, "a run of a file begins and ends within it")
        self.descriptor = descriptor
        self.offset = offset
        self.length = length
        self.group = group
        self.edit = edit
        owner = nil
    }

    private init(part range: Range<Int64>, of owner: FileRegion) {
        descriptor = owner.descriptor
        offset = owner.offset + range.lowerBound
        length = range.upperBound - range.lowerBound
        group = owner.group
        edit = owner.edit
        self.owner = owner
    }

    deinit {
        if owner == nil { close(descriptor) }
    }

    /// A subrange of this region, in bytes from its start. Shares the descriptor.
    public func part(_ range: Range<Int64>) -> FileRegion {
        precondition(range.lowerBound >= 0 && range.upperBound <= length, "a part lies within the whole")
        return FileRegion(part: range, of: self)
    }
}
