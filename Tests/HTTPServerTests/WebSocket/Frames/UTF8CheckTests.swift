import Testing

@testable import HTTPServer

extension UTF8Check {
    fileprivate mutating func accept(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { accept($0) } }
}

@Suite struct UTF8CheckTests {
    /// The index of the first byte that is rejected; nil if none is.
    private func firstBadByte(_ bytes: [UInt8]) -> Int? {
        var check = UTF8Check()
        return bytes.indices.first { !check.accept([bytes[$0]]) }
    }

    @Test func `characters of all lengths are accepted, whole and byte by byte`() {
        let borders: [UInt32] = [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
        for value in borders + stride(from: 0, to: 0x10FFFF, by: 397) {
            guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar).map({ Array($0) }) else {
                continue
            }
            var check = UTF8Check()
            guard check.accept(bytes), check.isComplete, firstBadByte(bytes) == nil else {
                Issue.record("U+\(String(value, radix: 16))")
                return
            }
        }
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0xBF], 0), ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0),
            ([0xC3, 0x28], 1), ([0xE0, 0x9F], 1), ([0xED, 0xA0], 1), ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1),
            ([0xE2, 0x82, 0x28], 2), ([0xF0, 0x9F, 0x98, 0x28], 3), ([0x61, 0xCE, 0xBA, 0xFF], 3),
        ] as [([UInt8], Int)])
    func `an invalid byte is rejected at once`(bytes: [UInt8], bad: Int) {
        #expect(firstBadByte(bytes) == bad)
    }

    @Test(arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]])
    func `a text that ends within a character is incomplete`(bytes: [UInt8]) {
        var check = UTF8Check()
        #expect(check.accept(bytes) == true)
        #expect(!check.isComplete)
    }

    @Test func `four-byte sequences of boundary values are judged as the standard library does`() {
        let telling: [UInt8] = [
            0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xEC, 0xED, 0xF0, 0xF4, 0xF5,
        ]
        var wrong = 0
        for number in 0..<(telling.count * telling.count * telling.count * telling.count) {
            var rest = number
            let bytes = (0..<4).map { _ in
                defer { rest /= telling.count }
                return telling[rest % telling.count]
            }
            var check = UTF8Check()
            let isText = check.accept(bytes) && check.isComplete
            if isText != (String(validating: bytes, as: UTF8.self) != nil) { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test func `an invalid byte is found after any run of ASCII`() {
        for length in 0..<40 {
            var check = UTF8Check()
            let isText = check.accept([UInt8](repeating: 0x61, count: length) + [0xFF] + [0x61])
            #expect(!isText)
        }
    }
}
