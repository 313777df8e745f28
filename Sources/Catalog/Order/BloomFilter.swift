import Images

/// Excludes most ids that are not in a set with a single memory access: a Bloom filter in which all bits of an id are
/// in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007). Takes one to two
/// bytes per id; about 3 per cent of absent ids pass.
struct BloomFilter: Sendable {
    private let words: [UInt64]

    init(_ ids: [UInt64]) {
        var count = 1
        while count * Self.idsPerWord < ids.count { count *= 2 }
        var words = [UInt64](repeating: 0, count: count)
        for id in ids {
            let (word, bits) = Self.place(of: id, in: count)
            words[word] |= bits
        }
        self.words = words
    }

    /// Whether the id may be in the set; always true for ids that are.
    func passes(_ id: UInt64) -> Bool {
        let (word, bits) = Self.place(of: id, in: words.count)
        return words[word] & bits == bits
    }

    private static let idsPerWord = 8

    /// - Parameter count: The number of words, a power of two.
    private static func place(of id: UInt64, in count: Int) -> (word: Int, bits: UInt64) {
        // Ids are usually hashes, but the ids of colliding images may follow each other.
        let mixed = SplitMix.mixed(id)
        let bits: UInt64 =
            1 << (mixed >> 58) | 1 << (mixed >> 52 & 63) | 1 << (mixed >> 46 & 63) | 1 << (mixed >> 40 & 63)
        return (Int(truncatingIfNeeded: mixed) & (count - 1), bits)
    }
}
