/// The delays of background work.
struct BackgroundPace: Sendable {
    /// How long it waits for a scan of the sources to end, because people wait for the list of images first.
    var maximumScanWait: Duration = .seconds(30)
    /// How often it checks whether the scan has ended.
    var scanPoll: Duration = .milliseconds(200)
    /// How long it waits after a pass, so that changes in quick succession share the next one.
    var settling: Duration = .zero
    /// How soon it retries after a failure. The delay doubles with each failure in a row, so that an unavailable disk
    /// is not accessed all the time.
    var retry: Duration = .seconds(60)
    var longestRetry: Duration = .seconds(3_600)
    /// How often it checks files that another node has claimed.
    var claimPoll: Duration = .seconds(1)
    /// How long it waits for a thread that opens files, and then for their disk.
    var diskDeadline: Duration = .seconds(10)

    /// - Parameter failures: The number of failures in a row, at least 1.
    func delay(after failures: Int) -> Duration {
        min(longestRetry, retry * (1 << min(20, max(0, failures - 1))))
    }
}
