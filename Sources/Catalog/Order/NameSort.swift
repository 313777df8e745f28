/// Sorts by the names of images as people expect it. Names are turned into bytes that compare as they should, sorted by
/// their first eight as numbers, and by the rest only where those are the same.
struct NameSort {
    private let maker: OrderMaker

    init(_ maker: OrderMaker) { self.maker = maker }

    func sorted(_ chosen: [UInt32], isDescending: Bool) -> [UInt32] {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var known: [UInt32] = []
        var unknown: [UInt32] = []
        maker.forEachPlace(of: chosen) { index, row in
            guard let (block, place) = row else { return unknown.append(index) }
            let start = block.start(of: place)
            let end = block.texts[start...].firstIndex(of: UInt8(ascii: "\n")) ?? start
            NaturalKey.appendFolded(block.texts[start..<end], to: &bytes)
            ends.append(bytes.count)
            known.append(index)
        }
        let order = bytes.withUnsafeBufferPointer { bytes in
            Self.order(bytes, ends)
        }
        let sorted = order.map { known[Int($0)] }
        return (isDescending ? Array(sorted.reversed()) : sorted) + unknown
    }

    private static func order(_ bytes: UnsafeBufferPointer<UInt8>, _ ends: [Int]) -> [UInt32] {
        func key(_ place: UInt32) -> Slice<UnsafeBufferPointer<UInt8>> {
            bytes[(place == 0 ? 0 : ends[Int(place) - 1])..<ends[Int(place)]]
        }
        let prefixes = ends.indices.map { place in
            var prefix: UInt64 = 0
            let key = key(UInt32(place))
            for offset in 0..<8 {
                prefix = prefix << 8 | (offset < key.count ? UInt64(key[key.startIndex + offset]) : 0)
            }
            return prefix
        }
        var order = RadixSort.order(prefixes)
        var first = 0
        while first < order.count {
            var last = first + 1
            while last < order.count, prefixes[Int(order[last])] == prefixes[Int(order[first])] { last += 1 }
            if last - first > 1 {
                order[first..<last].sort { left, right in
                    let (a, b) = (key(left), key(right))
                    let common = min(a.count, b.count)
                    for offset in 0..<common where a[a.startIndex + offset] != b[b.startIndex + offset] {
                        return a[a.startIndex + offset] < b[b.startIndex + offset]
                    }
                    return a.count == b.count ? left < right : a.count < b.count
                }
            }
            first = last
        }
        return order
    }
}
