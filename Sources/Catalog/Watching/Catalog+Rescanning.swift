import Dispatch
import Glibc
import Locking

extension Catalog {
    /// Of the time, readings that nobody asked for take at most this part.
    private static let share = 50

    /// Has sources that are not watched as a whole be looked at again after a while: as soon as that may be, all that is
    /// in them where that costs little, or else the times of their folders, and everything now and then. Scanning queue.
    func rescanInTime() {
        guard !standing.withLock(\.isClosed) else { return }
        for ordinal in readable {
            let record = records[ordinal]
            guard record.isBlind, !record.isDue else { continue }
            record.isDue = true
            let (extent, delay) = record.nextLook(every: configuration.rescanInterval, share: Self.share)
            // Nodes whose time has come at about the same moment need one listing.
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
    /// What is looked at next, and when.
    ///
    /// - Parameters:
    ///   - interval: looks do not come sooner than this.
    ///   - share: one of so many parts of the time is spent on looks at everything, and one on looks at times.
    func nextLook(
        every interval: Duration, share: Int, now: ContinuousClock.Instant = .now
    ) -> (extent: Dirt.Extent, delay: Duration) {
        let whole = timeOfWhole(every: interval, share: share)
        let rest = max(.zero, whole - (lookedAt.map { now - $0 } ?? .zero))
        guard timesTell, folders != nil, rest > interval else { return (.everything, max(interval, rest)) }
        let delay = max(interval, (durations[.times] ?? .zero) * share)
        return delay < rest ? (.times, delay) : (.everything, rest)
    }

    /// How long after a look at everything the next one comes.
    fileprivate func timeOfWhole(every interval: Duration, share: Int) -> Duration {
        max(interval, (durations[.everything] ?? .zero) * share)
    }
}

/// Kinds of file systems.
enum FileSystemKind {
    /// Those in which others may change what lies there, and the kernel does not hear of it; by their numbers of
    /// `statfs(2)`.
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
