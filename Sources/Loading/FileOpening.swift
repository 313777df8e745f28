import Images

/// Opens the files of folder sources.
public protocol FileOpening: Sendable {
    /// Opens the file at `path` beneath the root of the folder source with this ordinal. Blocks.
    ///
    /// - Returns: A descriptor open for reading, which the caller owns from then on.
    /// - Throws: `LoadFailure` with the status that tells why: 404 for a file that has gone, 403 for one that may not be
    ///   read, 503 with a time to wait for one that cannot be opened now.
    ///   Not a permanent one, unless the file's coming back would be noticed otherwise: it is remembered.
    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32
}

/// Takes in what a load finds out of an image.
public protocol FactsLearning: Sendable {
    /// Called from any thread; must not block.
    ///
    /// - Parameters:
    ///   - facts: What is known now; nil members say nothing.
    ///   - version: The content that the facts are of.
    func learned(_ facts: ImageFacts, version: ContentVersion?, of image: ImageID)
}

/// Tells the time, so that a test can hold it still.
public protocol TimeKeeping: Sendable {
    /// Grows steadily, from any beginning.
    func uptime() -> Duration
    /// What the calendar says: seconds since 1970.
    func secondsSince1970() -> Int64
}
