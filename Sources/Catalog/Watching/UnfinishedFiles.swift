import CLinux
import Glibc

/// Files that their writers may not have finished: each is left alone until it is said to be whole, or has not grown for
/// a while.
///
/// Whoever has written a file closes it, which the watches tell. Where they do not (a writer that hangs, a file that was
/// begun before its folder was watched, a mount without events) time decides.
struct UnfinishedFiles {
    private struct Growth {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
        var since: ContinuousClock.Instant
        /// How long it must stay as it is.
        let patience: Duration
    }

    /// A file without watches, or that was begun before they were: its content is this old before it is shown.
    var settling: Duration
    /// A file that was begun before the eyes of its watch, and not closed.
    var patience: Duration
    private var files: [[UInt8]: Growth] = [:]

    init(settling: Duration, patience: Duration) {
        self.settling = settling
        self.patience = patience
    }

    var paths: [[UInt8]] { Array(files.keys) }

    /// Whoever wrote it is done, or it is gone.
    mutating func forget(_ path: [UInt8]) { files[path] = nil }

    /// Whether the file is whole, as far as can be told.
    ///
    /// - Parameters:
    ///   - isBegun: whether it was seen to be created and not to be closed.
    ///   - time: seconds since 1970. Where the clock was set back, files from the future are as whole as old ones.
    mutating func isWhole(
        _ path: [UInt8], _ status: stat, isBegun: Bool, now: ContinuousClock.Instant = .now,
        time: Double = UnfinishedFiles.time
    ) -> Bool {
        let modified = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        guard var growth = files[path] else {
            let settled = settling / .seconds(1)
            // One that is older than its name was linked or moved there.
            let isFresh = abs(time - modified) < (isBegun ? max(2, settled) : settled)
            guard isFresh, !isBegun || status.st_nlink == 1 else { return true }
            files[path] = Growth(
                size: Int64(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
                since: now, patience: isBegun ? patience : settling)
            return false
        }
        let isSame =
            growth.size == Int64(status.st_size) && growth.seconds == status.st_mtim.tv_sec
            && growth.nanoseconds == status.st_mtim.tv_nsec
        if isSame, now - growth.since >= growth.patience {
            files[path] = nil
            return true
        }
        if !isSame {
            growth.size = Int64(status.st_size)
            growth.seconds = status.st_mtim.tv_sec
            growth.nanoseconds = status.st_mtim.tv_nsec
            growth.since = now
            files[path] = growth
        }
        return false
    }

    /// Seconds since 1970 by the clock that files are stamped with.
    static var time: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
