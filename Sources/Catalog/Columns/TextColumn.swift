import CLinux

/// Folded texts, numbered, in one contiguous array, so that one search covers all of them.
struct TextColumn: Hashable, Sendable {
    /// Each text ends with a newline, so that no match spans two texts. Unknown texts are empty.
    let bytes: [UInt8]
    /// The end offset of each text in `bytes`.
    let ends: [UInt32]

    init(_ texts: [[UInt8]]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(texts.reduce(0) { $0 + $1.count })
        ends = texts.map { text in
            bytes.append(contentsOf: text)
            return UInt32(bytes.count)
        }
        self.bytes = bytes
    }

    /// Nil if the ends do not fit the bytes.
    init?(bytes: [UInt8], ends: [UInt32]) {
        guard zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }), Int(ends.last ?? 0) == bytes.count else {
            return nil
        }
        self.bytes = bytes
        self.ends = ends
    }

    var count: Int { ends.count }

    func start(of number: Int) -> Int { number == 0 ? 0 : Int(ends[number - 1]) }

    /// Passes a text without its newline to `body`.
    func withText<Result>(of number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            let (start, end) = (start(of: number), Int(ends[number]))
            return body(UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end - 1)]))
        }
    }

    func has(_ word: [UInt8], in number: Int) -> Bool {
        withText(of: number) { text in
            text.baseAddress.map { clinux_find($0, text.count, word, word.count) != nil } ?? false
        }
    }

    /// Calls `body` for occurrences of the word, with the number of the text and the offset of the match in `bytes`.
    /// The closure returns where to continue in the same text, an offset after the match; or nil to go to the next text.
    func forEachOccurrence(of word: [UInt8], _ body: (_ number: Int, _ offset: Int) -> Int?) {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var offset = 0
            var number = 0
            while let met = clinux_find(base + offset, bytes.count - offset, word, word.count) {
                let start = UnsafeRawPointer(met) - base
                while Int(ends[number]) <= start { number += 1 }
                offset = body(number, start) ?? Int(ends[number])
            }
        }
    }
}

extension [UInt8] {
    /// Appends folded words on one line.
    mutating func append(folding words: String) {
        self += Folding.fold(words).map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
    }
}
