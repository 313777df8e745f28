import Images

/// One node's outbox of metadata that it has not published yet, and its read position in the shared metadata log. Both
/// are stored in the node's index, so that no metadata is lost by a restart or by an outage of any length. All calls
/// block, and must be made by one thread at a time.
///
/// The log has a name and an increasing position. Received metadata and the new read position are stored in one
/// transaction.
public protocol MetadataOutbox: Sendable {
    /// The position from which to read this log. A log that was not read before starts at 0, and gets all of this
    /// node's metadata.
    ///
    /// - Parameter isAnew: Whether the log's server was reset, so that the log must be read from its beginning.
    func position(in log: String, isAnew: Bool) throws -> Int64

    /// Some of the unpublished metadata: the newest first, then metadata from before this node followed the log.
    func unpublished(limit: Int) throws -> UnpublishedMetadata

    /// Removes published metadata from the outbox. Newer metadata of the same images stays.
    func published(_ metadata: UnpublishedMetadata) throws

    /// The number of images with unpublished metadata.
    func countUnpublished() throws -> Int

    /// Stores metadata published by other nodes. It is not published again.
    ///
    /// - Parameters:
    ///   - former: The position from which the log was read.
    ///   - position: The position from which to read it next.
    /// - Throws: ``OutboxError`` if the outbox is at another position; ``position(in:isAnew:)`` returns that one.
    func received(_ metadata: [SharedMetadata], of log: String, after former: Int64, upTo position: Int64) throws

    /// The same for metadata that was requested individually.
    func received(_ metadata: [SharedMetadata]) throws
}

/// Metadata to be published.
public struct UnpublishedMetadata: Sendable {
    public internal(set) var metadata: [SharedMetadata] = []
    /// Marks that distinguish these entries from later metadata of the same images; includes entries of images that are
    /// gone.
    var marks: [Int64] = []
    /// How far these entries reach into the metadata from before this node followed the log: the last image id, or
    /// `.max` at the end.
    var backlog: Int64?

    public var isEmpty: Bool { marks.isEmpty && backlog == nil }
}

/// The outbox was started anew, or belongs to another log.
public struct OutboxError: Error, Hashable, Sendable {
    public init() {}
}
