/// Least significant byte radix sort, with one pass for each byte in which any keys differ. A million dates take about
/// 20 ms, a comparison sort 150 ms.
enum RadixSort {
    /// The indices of the keys in ascending order. Stable.
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
