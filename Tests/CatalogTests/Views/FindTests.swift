import CLinux
import Glibc
import TestSupport
import Testing

@testable import Catalog

@Suite struct FindTests {
    /// The first occurrence of the word.
    private func found(_ word: [UInt8], in text: [UInt8]) -> Int? {
        text.withUnsafeBytes { text in
            clinux_find(text.baseAddress, text.count, word, word.count).map { $0 - UnsafeRawPointer(text.baseAddress!) }
        }
    }

    private func expected(_ word: [UInt8], in text: [UInt8]) -> Int? {
        text.indices.first { text[$0...].starts(with: word) }
    }

    @Test(arguments: ["ab", "a", "ez", "\n\0é/ q"]) func `the first occurrence of a word is found, or none`(
        letters: String
    ) {
        var random = SeededRandom(seed: 11)
        let letters = Array(letters.utf8)
        var hits = 0
        for _ in 0..<4_000 {
            // Long enough, and of few enough letters, that the rarest byte of a word occurs again and again.
            let text = (0..<1 + random.number(below: 400)).map { _ in letters[random.number(below: letters.count)] }
            let word = (0..<1 + random.number(below: 12)).map { _ in letters[random.number(below: letters.count)] }
            let place = found(word, in: text)
            #expect(place == expected(word, in: text))
            if place != nil { hits += 1 }
        }
        #expect(hits > 100)
    }

    @Test func `nothing is read beyond the end of the text`() {
        let page = 4_096
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let pages = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, flags, -1, 0) else { return }
        defer { munmap(pages, 2 * page) }
        mprotect(pages + page, page, PROT_NONE)
        memset(pages, 0x61, page)
        for count in 1...64 {
            let text = pages + page - count
            for word in [Array("aaab".utf8), Array("b".utf8), Array(repeating: 0x61, count: 65)] {
                #expect(clinux_find(text, count, word, word.count) == nil)
            }
            #expect(clinux_find(text, count, [0x61], 1).map { UnsafeMutableRawPointer(mutating: $0) } == text)
        }
    }
}
