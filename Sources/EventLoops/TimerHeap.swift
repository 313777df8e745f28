/// A binary heap of timers with the next one due at its root. Each timer knows its position, so any of them can be
/// removed in O(log n).
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var first: LoopTimer? { timers.first }
    var count: Int { timers.count }

    mutating func insert(_ timer: LoopTimer) {
        timer.position = timers.count
        timers.append(timer)
        siftUp(from: timers.count - 1)
    }

    mutating func remove(_ timer: LoopTimer) {
        guard let position = timer.position else { return }
        timer.position = nil
        let last = timers.removeLast()
        guard last !== timer else { return }
        place(last, at: position)
        siftDown(from: position)
        siftUp(from: position)
    }

    /// Removes the first timer if it is due at `now`.
    mutating func popDue(at now: UInt64) -> LoopTimer? {
        guard let first, first.due <= now else { return nil }
        remove(first)
        return first
    }

    mutating func removeAll() -> [LoopTimer] {
        let all = timers
        for timer in all { timer.position = nil }
        timers = []
        return all
    }

    private static func isSooner(_ left: LoopTimer, _ right: LoopTimer) -> Bool {
        (left.due, left.order) < (right.due, right.order)
    }

    private mutating func place(_ timer: LoopTimer, at position: Int) {
        timers[position] = timer
        timer.position = position
    }

    private mutating func siftUp(from start: Int) {
        let timer = timers[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard Self.isSooner(timer, timers[parent]) else { break }
            place(timers[parent], at: position)
            position = parent
        }
        place(timer, at: position)
    }

    private mutating func siftDown(from start: Int) {
        let timer = timers[start]
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < timers.count else { break }
            if child + 1 < timers.count, Self.isSooner(timers[child + 1], timers[child]) { child += 1 }
            guard Self.isSooner(timers[child], timer) else { break }
            place(timers[child], at: position)
            position = child
        }
        place(timer, at: position)
    }
}
