/// A set of row numbers, one bit each.
struct RowSet: Sendable {
    private var words: [UInt64] = []

    func contains(_ row: UInt32) -> Bool {
        let word = Int(row / 64)
        return word < words.count && words[word] >> UInt64(row % 64) & 1 == 1
    }

    mutating func insert(_ row: UInt32) {
        let word = Int(row / 64)
        if word >= words.count {
            // Grows by a quarter, so that inserting rows one by one does not copy all words each time.
            words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count / 4)))
        }
        words[word] |= 1 << UInt64(row % 64)
    }

    mutating func remove(_ row: UInt32) {
        let word = Int(row / 64)
        if word < words.count { words[word] &= ~(1 << UInt64(row % 64)) }
    }
}
