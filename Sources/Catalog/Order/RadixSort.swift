/// Sorts by numbers: least significant byte first, a pass for each byte in which the keys differ at all. A million dates
/// take some 20 ms, where a sort by comparisons takes 150.
enum RadixSort {
    /// The places of the keys in ascending order; equals stay in theirs.
    static func order(_ keys: [UInt64]) -> [UInt32] {
        var order = [UInt32](unsafeUninitializedCapacity: keys.count) { buffer, count in
            for place in 0..<keys.count { buffer[place] = UInt32(place) }
            count = keys.count
        }
        guard keys.count > 1 else { return order }
        var differing: UInt64 = 0
        for key in keys { differing |= key ^ keys[0] }
        var sorted = [UInt32](repeating: 0, count: keys.count)
        for shift in stride(from: 0, to: 64, by: 8) where differing >> UInt64(shift) & 255 != 0 {
            pass(keys, UInt64(shift), order, &sorted)
            swap(&order, &sorted)
        }
        return order
    }

    private static func pass(_ keys: [UInt64], _ shift: UInt64, _ order: [UInt32], _ sorted: inout [UInt32]) {
        keys.withUnsafeBufferPointer { keys in
            order.withUnsafeBufferPointer { order in
                sorted.withUnsafeMutableBufferPointer { sorted in
                    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
                        starts.initialize(repeating: 0)
                        for key in keys { starts[Int(key >> shift & 255)] += 1 }
                        var sum = 0
                        for byte in 0..<256 {
                            let count = starts[byte]
                            starts[byte] = sum
                            sum += count
                        }
                        for place in order {
                            let byte = Int(keys[Int(place)] >> shift & 255)
                            sorted[starts[byte]] = place
                            starts[byte] += 1
                        }
                    }
                }
            }
        }
    }
}
