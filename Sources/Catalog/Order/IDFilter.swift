import Images

/// Says of most ids that are not among these that they are not, by one look into memory: a Bloom filter of which all bits of
/// an id lie in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007). One byte an
/// id, at most two; of ids that are not here some 3 in a hundred pass.
struct IDFilter: Sendable {
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

    /// Whether the id may be here; true for all that are.
    func passes(_ id: UInt64) -> Bool {
        let (word, bits) = Self.place(of: id, in: words.count)
        return words[word] & bits == bits
    }

    private static let idsPerWord = 8

    /// - Parameter count: Of words, a power of two.
    private static func place(of id: UInt64, in count: Int) -> (word: Int, bits: UInt64) {
        // Ids are hashes as a rule, but those of neighbours that clashed follow each other.
        let mixed = SplitMix.mixed(id)
        let bits: UInt64 =
            1 << (mixed >> 58) | 1 << (mixed >> 52 & 63) | 1 << (mixed >> 46 & 63) | 1 << (mixed >> 40 & 63)
        return (Int(truncatingIfNeeded: mixed) & (count - 1), bits)
    }
}
