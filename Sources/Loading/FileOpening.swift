import Images

/// Opens the files of folder sources.
public protocol FileOpening: Sendable {
    /// Opens the file at `path` beneath the root of the folder source with this ordinal. Blocks.
    ///
    /// - Returns: A descriptor open for reading; the caller owns it.
    /// - Throws: `LoadFailure` with a status that gives the reason: 404 for a file that no longer exists, 403 for one
    ///   that may not be read, 503 with a delay for one that cannot be opened now. Permanent failures are remembered,
    ///   so throw one only if the file's return would be noticed in another way.
    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32
}

/// Receives the metadata that a load reads from an image.
public protocol MetadataReceiving: Sendable {
    /// Called from any thread; must not block.
    ///
    /// - Parameters:
    ///   - metadata: What is known now. A nil member says nothing.
    ///   - version: The content that the metadata belongs to.
    func learned(_ metadata: ImageMetadata, version: ContentVersion?, of image: ImageID)
}

/// Tells the time. A protocol, so that a test can hold time still.
public protocol TimeKeeping: Sendable {
    /// The time of a monotonic clock with an arbitrary start.
    func uptime() -> Duration
    /// The calendar time, in seconds since 1970.
    func secondsSince1970() -> Int64
}
