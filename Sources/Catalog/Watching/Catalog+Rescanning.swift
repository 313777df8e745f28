import Dispatch
import Glibc
import Locking
import Time

extension Catalog {
    /// Periodic scans take at most 1 / `share` of the time.
    private static let share = 50

    /// Schedules the next look at sources that are not watched completely. Cheap sources are scanned completely each
    /// time; for others only the times of their folders are checked, and everything from time to time. On the scanning
    /// queue.
    func schedulePeriodicRescans() {
        guard !mutableState.withLock(\.isClosed) else { return }
        for ordinal in readable {
            let record = records[ordinal]
            guard record.needsPeriodicScans, !record.isDue else { continue }
            record.isDue = true
            let (extent, delay) = record.nextCheck(every: configuration.rescanInterval, share: Self.share)
            // Nodes whose scans are due at about the same time share one listing.
            let age = record.timeOfWhole(every: configuration.rescanInterval, share: Self.share) / 2
            watching.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
                guard let self else { return }
                scanning.async { record.isDue = false }
                rescan([ordinal], extent, listedWithin: age)
            }
        }
    }
}

extension SourceRecord {
    /// What to check next, and when.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between checks.
    ///   - share: Full scans take at most 1 / `share` of the time, and so do checks of folder times.
    func nextCheck(
        every interval: Duration, share: Int, now: ContinuousClock.Instant = .now
    ) -> (extent: DirtySet.Extent, delay: Duration) {
        let whole = timeOfWhole(every: interval, share: share)
        let rest = max(.zero, whole - (lastFullScan.map { now - $0 } ?? .zero))
        guard hasReliableFolderTimes, folders != nil, rest > interval else { return (.everything, max(interval, rest)) }
        let delay = max(interval, (durations[.times] ?? .zero) * share)
        return delay < rest ? (.times, delay) : (.everything, rest)
    }

    /// The time from one full scan to the next.
    fileprivate func timeOfWhole(every interval: Duration, share: Int) -> Duration {
        max(interval, (durations[.everything] ?? .zero) * share)
    }
}

/// Classifies file systems.
enum FileSystemKind {
    /// The file systems whose contents other machines may change without the kernel noticing, by their `statfs(2)` type
    /// numbers.
    private static let silent: Set<Int64> = [
        0x6969,  // NFS
        0x517b, 0xff53_4d42, 0xfe53_4d42,  // SMB, CIFS, SMB 2
        0x6573_5546,  // FUSE
        0x0102_1997,  // 9P
        0x5346_414f, 0x6b41_4653,  // AFS
        0x00c3_6400,  // Ceph
        0x7375_7245,  // Coda
        0x564c,  // NCP
        0x786f_4256,  // folders of VirtualBox
        0x7461_636f, 0x0116_1970, 0x0bd0_0bd0, 0x4750_4653,  // OCFS2, GFS2, Lustre, GPFS
    ]

    static func isSilent(_ type: Int64) -> Bool { silent.contains(type) }
}
