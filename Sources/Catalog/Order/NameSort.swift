import Dispatch
import Glibc

/// Sorts images by name in natural order. Names are converted on all cores to bytes that compare directly, and then
/// sorted eight bytes at a time, as numbers: the next eight bytes matter only where the previous ones are equal.
struct NameSort {
    private let maker: OrderBuilder

    init(_ maker: OrderBuilder) { self.maker = maker }

    func sorted(_ chosen: [UInt32], isDescending: Bool) -> [UInt32] {
        let parts = keys(of: chosen)
        let names = NameKeys(joining: parts)
        let sorted = names.order().map { names.owners[Int($0)] }
        return (isDescending ? Array(sorted.reversed()) : sorted) + parts.flatMap(\.unknown)
    }

    /// The sort keys in several parts, in the order of `chosen`.
    private func keys(of chosen: [UInt32]) -> [NameKeys] {
        let count = max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), chosen.count / Self.minimumPerCore))
        var parts = [NameKeys](repeating: NameKeys(), count: count)
        parts.withUnsafeMutableBufferPointer { parts in
            // Invariant: each iteration writes only its own part.
            nonisolated(unsafe) let parts = parts
            DispatchQueue.concurrentPerform(iterations: count) { turn in
                let own = chosen[chosen.count * turn / count..<chosen.count * (turn + 1) / count]
                var keys = NameKeys()
                keys.reserve(own.count)
                maker.forEachPlace(of: own) { index, row in
                    guard let (block, offset) = row else { return keys.unknown.append(index) }
                    block.names.withText(of: offset) { keys.append($0, of: index) }
                }
                parts[turn] = keys
            }
        }
        return parts
    }

    /// The minimum number of names per core; for fewer, another thread is not worthwhile.
    private static let minimumPerCore = 4_096
}

/// Names as contiguous bytes that compare in natural order.
private struct NameKeys {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The image that each name belongs to.
    private(set) var owners: [UInt32] = []
    /// Images without a known name.
    var unknown: [UInt32] = []

    init() {}

    init(joining parts: [NameKeys]) {
        if parts.count == 1 {
            self = parts[0]
            return
        }
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.bytes.count })
        for part in parts {
            let start = bytes.count
            bytes += part.bytes
            ends += part.ends.map { $0 + start }
            owners += part.owners
        }
    }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count * 16)
        ends.reserveCapacity(count)
        owners.reserveCapacity(count)
    }

    mutating func append(_ name: UnsafeRawBufferPointer, of owner: UInt32) {
        NaturalKey.appendFolded(name, to: &bytes)
        ends.append(bytes.count)
        owners.append(owner)
    }

    /// The indices of the names in ascending order. Stable.
    func order() -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            var order = (0..<UInt32(ends.count)).map { $0 }
            sort(&order, 0..<order.count, depth: 0, bytes)
            return order
        }
    }

    /// - Parameter depth: The number of leading bytes that are equal in the whole range.
    private func sort(_ order: inout [UInt32], _ range: Range<Int>, depth: Int, _ bytes: UnsafeRawBufferPointer) {
        guard range.count > Self.comparisonSortCount, depth < Self.comparisonSortDepth else {
            return order[range].sort { isBefore($0, $1, depth, bytes) }
        }
        let words = order[range].map { word(of: $0, depth, bytes) }
        let places = RadixSort.order(words)
        let before = Array(order[range])
        for (offset, place) in places.enumerated() { order[range.lowerBound + offset] = before[Int(place)] }
        var first = 0
        while first < places.count {
            var last = first + 1
            while last < places.count, words[Int(places[last])] == words[Int(places[first])] { last += 1 }
            let same = range.lowerBound + first..<range.lowerBound + last
            // If one key has ended here, all have, because no key is equal to another key followed by zeros.
            if same.count > 1, start(of: order[same.lowerBound]) + depth + 8 < ends[Int(order[same.lowerBound])] {
                sort(&order, same, depth: depth + 8, bytes)
            }
            first = last
        }
    }

    /// Ranges no longer than this are sorted by comparison.
    private static let comparisonSortCount = 48
    /// Ranges whose names have at least this many leading bytes in common are sorted by comparison, too.
    private static let comparisonSortDepth = 256

    private func start(of place: UInt32) -> Int { place == 0 ? 0 : ends[Int(place) - 1] }

    /// Eight bytes of a key as a number, padded with zeros beyond its end.
    private func word(of place: UInt32, _ depth: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let (start, end) = (start(of: place) + depth, ends[Int(place)])
        if start + 8 <= bytes.count {
            let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            let count = end - start
            return count >= 8 ? word : count <= 0 ? 0 : (word >> UInt64(64 - 8 * count)) << UInt64(64 - 8 * count)
        }
        var word: UInt64 = 0
        for offset in start..<start + 8 { word = word << 8 | (offset < end ? UInt64(bytes[offset]) : 0) }
        return word
    }

    private func isBefore(_ left: UInt32, _ right: UInt32, _ depth: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let (first, second) = (start(of: left) + depth, start(of: right) + depth)
        let counts = (max(0, ends[Int(left)] - first), max(0, ends[Int(right)] - second))
        let common = min(counts.0, counts.1)
        if common > 0 {
            let difference = memcmp(bytes.baseAddress! + first, bytes.baseAddress! + second, common)
            if difference != 0 { return difference < 0 }
        }
        return counts.0 == counts.1 ? left < right : counts.0 < counts.1
    }
}
