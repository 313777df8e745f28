import Testing

@testable import Redaction

struct FileEditsTests {
    private let file: [UInt8] = Array(0..<100)

    private func edits() throws -> FileEdits {
        try FileEdits([
            FileEdits.Edit(range: 50..<60, bytes: [200, 201]), FileEdits.Edit(range: 0..<3, bytes: []),
            FileEdits.Edit(range: 60..<61, bytes: [202]),
        ])
    }

    @Test
    func `any part of an edited file equals that part of the whole edited file`() throws {
        let edits = try edits()
        var whole = file
        edits.apply(to: &whole, at: 0)
        #expect(
            Array(whole[..<4]) == [0, 0, 0, 3]
                && Array(whole[49..<63]) == [
                    49, 200, 201, 0, 0, 0, 0, 0, 0, 0, 0, 202, 61, 62,
                ])
        var compared = 0
        for start in 0..<100 {
            for end in start..<100 {
                var part = Array(file[start..<end])
                edits.apply(to: &part, at: Int64(start))
                if part == Array(whole[start..<end]) { compared += 1 }
            }
        }
        #expect(compared == 100 * 99 / 2 + 100)
    }

    @Test
    func `edits that overlap are refused`() {
        #expect(throws: RedactionError.malformed) {
            try FileEdits([FileEdits.Edit(range: 0..<3, bytes: []), FileEdits.Edit(range: 2..<4, bytes: [])])
        }
    }
}
