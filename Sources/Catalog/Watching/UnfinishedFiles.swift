import CLinux
import Glibc

/// Files that may still be being written. Each is left out until it is known to be complete, or has not grown for a
/// while.
///
/// A writer that has finished closes the file, which the watches report. Otherwise (a writer that hangs, a file begun
/// before its folder was watched, a mount without events) time decides.
struct UnfinishedFiles {
    private struct Growth {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
        var since: ContinuousClock.Instant
        /// How long it must stay unchanged.
        let settling: Duration
    }

    /// The minimum age of the content of a file without a watch, or begun before it was watched.
    var settling: Duration
    /// How long a file that was created under a watch and never closed must stay unchanged.
    var unclosedSettling: Duration
    private var files: [[UInt8]: Growth] = [:]

    init(settling: Duration, unclosedSettling: Duration) {
        self.settling = settling
        self.unclosedSettling = unclosedSettling
    }

    var paths: [[UInt8]] { Array(files.keys) }

    /// Its writer has finished, or it is gone.
    mutating func forget(_ path: [UInt8]) { files[path] = nil }

    /// Whether the file is complete, as far as can be told.
    ///
    /// - Parameters:
    ///   - isBegun: Whether its creation was seen, but not its close.
    ///   - time: Seconds since 1970. If the clock was set back, files from the future count as complete, like old ones.
    mutating func isWhole(
        _ path: [UInt8], _ status: stat, isBegun: Bool, now: ContinuousClock.Instant = .now,
        time: Double = UnfinishedFiles.time
    ) -> Bool {
        let modified = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        guard var growth = files[path] else {
            let settled = settling / .seconds(1)
            // A file older than its name was linked or moved there.
            let isFresh = abs(time - modified) < (isBegun ? max(2, settled) : settled)
            guard isFresh, !isBegun || status.st_nlink == 1 else { return true }
            files[path] = Growth(
                size: Int64(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
                since: now, settling: isBegun ? unclosedSettling : settling)
            return false
        }
        let isSame =
            growth.size == Int64(status.st_size) && growth.seconds == status.st_mtim.tv_sec
            && growth.nanoseconds == status.st_mtim.tv_nsec
        if isSame, now - growth.since >= growth.settling {
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

    /// The current time in seconds since 1970, by the clock that stamps files.
    static var time: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
