import Testing
import Time

@testable import Catalog

@Suite struct SearchTests {
    private func kinds(_ text: String) throws -> [Search.Kind] { try Search(text).terms.map(\.kind) }

    @Test func `words are folded, quotes make phrases, and a minus excludes`() throws {
        let search = try Search(#"  Été  "Mont Blanc" -Ski -"a b" "#)
        #expect(
            search.terms == [
                .init(kind: .word(Array("ete".utf8))), .init(kind: .word(Array("mont blanc".utf8))),
                .init(isExcluded: true, kind: .word(Array("ski".utf8))),
                .init(isExcluded: true, kind: .word(Array("a b".utf8))),
            ])
        #expect(search.text == #"Été "Mont Blanc" -Ski -"a b""#)
        #expect(try Search(search.text) == search, "the canonical text means the same")
    }

    @Test(arguments: [
        ("Straße", "strasse"), ("ŁÓDŹ", "lodz"), ("Ελλάς", "ελλασ"), ("ΜΆΪΟΣ", "μαιοσ"), ("Ёлка", "елка"),
        ("İstanbul", "istanbul"), ("ångström", "angstrom"), ("A\u{30a}", "a"), ("東京", "東京"), ("Œuvre", "oeuvre"),
    ])
    func `case and accents are folded in any script`(text: String, folded: String) {
        #expect(String(decoding: Folding.fold(text), as: UTF8.self) == folded)
    }

    @Test func `a date covers its whole year, month or day`() throws {
        func second(_ day: (Int, Int, Int)) throws -> Int64 {
            try #require(CivilDay(year: day.0, month: day.1, day: day.2)).firstSecond
        }
        func span(_ from: (Int, Int, Int), _ to: (Int, Int, Int)) throws -> ClosedRange<Int64> {
            try second(from)...second(to) - 1
        }
        #expect(try kinds("taken:2019") == [.taken(span((2019, 1, 1), (2020, 1, 1)))])
        #expect(try kinds("taken:2019-12") == [.taken(span((2019, 12, 1), (2020, 1, 1)))])
        #expect(try kinds("taken:2020-02-29") == [.taken(span((2020, 2, 29), (2020, 3, 1)))])
        #expect(try kinds("taken:2019-06..2019-08") == [.taken(span((2019, 6, 1), (2019, 9, 1)))])
        guard case .taken(let open) = try kinds("taken:2019..").first else { throw ViewError(field: "", reason: "") }
        #expect(open.upperBound == .max)
    }

    @Test(arguments: [
        ("4", 4...4), ("3..5", 3...5), ("3..", 3...5), ("..2", 1...2), ("0", 0...0), ("-1", -1...(-1)),
        ("-1..0", -1...0),
    ])
    func `a rating is a number of stars or a range`(text: String, range: ClosedRange<Int>) throws {
        #expect(try kinds("rating:\(text)") == [.rating(range)])
    }

    @Test func `a date in words is also a time when pictures were taken`() throws {
        func dates(_ text: String) throws -> [String: ClosedRange<Int64>] {
            try Search(text).terms.reduce(into: [:]) { dates, term in
                guard case .date(let words, let taken) = term.kind else { return }
                dates[words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")] = taken
            }
        }
        for (text, words, taken) in [
            ("2019", "2019", "2019"), ("2019-06", "2019-06", "2019-06"), ("June 2019", "june 2019", "2019-06"),
            ("30 Jun 2019", "30 jun 2019", "2019-06-30"), ("june 3, 2019", "june 3 2019", "2019-06-03"),
            ("cat Sept 2019 dog", "sept 2019", "2019-09"), ("-2019", "2019", "2019"),
        ] {
            guard case .taken(let range) = try kinds("taken:\(taken)").first else {
                throw ViewError(field: "", reason: "")
            }
            #expect(try dates(text) == [words: range], "\(text)")
        }
        for text in ["June", "\"2019\"", "ju", "31 Juneteenth 2019x", "20190", "-june -2019x"] {
            #expect(try dates(text).isEmpty, "\(text)")
        }
        #expect(try dates("31 June 2019").keys.sorted() == ["june 2019"], "there is no such day")
        #expect(try Search("cat June 2019 dog").terms.count == 3)
    }

    @Test(arguments: [("400", 400...400), ("100..800", 100...800), ("3200..", 3_200...UInt32.max), ("..200", 1...200)])
    func `an ISO speed is a number or a range`(text: String, range: ClosedRange<UInt32>) throws {
        #expect(try kinds("iso:\(text)") == [.sensitivity(range)])
    }

    @Test(arguments: [
        "taken:20x", "on:6-30", "on:13-01", "on:02-30", "on:06-30x", "on:2019", "taken:2019-06-31", "taken:2019-02-29",
        "taken:2019-13", "taken:2019-08..2019-06", "taken:..",
        "near:1", "near:91,0", "near:1,2,-3km",
        "type:cake", "is:red", "taken:2019-6", "rating:6", "rating:-2", "rating:4..2", "rating:..", "rating:good",
        "rating:+3", "rating:04", "rating:3..x", "iso:fast", "iso:+1", "iso:0", "iso:800..100", "iso:4294967296",
    ])
    func `an invalid term is named in the error`(text: String) {
        let error = #expect(throws: ViewError.self) { try Search("cat \(text) dog") }
        #expect(error?.field == "q" && error?.word == text)
    }

    @Test(arguments: ["taken:", "-", "\"\"", "\"", "folder:", "is:", "near:", "rating:", "iso:", "lens:", "on:", ""])
    func `an incomplete term is ignored`(text: String) throws {
        #expect(try Search(text).isEmpty)
    }

    @Test(arguments: [
        "\u{35f}a b", "a \u{301}b", "\"\u{35f}a b", "a\" \u{301}b\"", "\u{b}\u{35f}x \"\u{200d}y", "-\u{301}a",
        "a\r\nb \"c\r\nd",
    ])
    func `the canonical text parses to the same search, even with combining marks`(text: String) throws {
        let search = try Search(text)
        #expect(!search.isEmpty)
        let again = try Search(search.text)
        #expect(again.text.unicodeScalars.elementsEqual(search.text.unicodeScalars) && again.terms == search.terms)
    }

    @Test func `an unclosed quotation counts its closing quote towards the length limit`() {
        #expect(throws: Never.self) { try Search("\"" + String(repeating: "a", count: Search.maximumLength - 2)) }
        #expect(throws: ViewError.self) { try Search("\"" + String(repeating: "a", count: Search.maximumLength - 1)) }
    }

    @Test func `a colon without a keyword, or in quotes, is part of the word`() throws {
        #expect(try kinds("12:30") == [.word(Array("12:30".utf8))])
        #expect(try kinds("\"taken:2019\"") == [.word(Array("taken:2019".utf8))])
    }

    @Test func `months follow each other without gaps over four hundred years, also before 1970`() throws {
        var first = try #require(CivilDay(year: 1800, month: 1, day: 1))
        for _ in 0..<400 * 12 {
            let month = WallTime.month(of: first)
            #expect(month.lowerBound == first.firstSecond)
            for day in [CivilDay(sinceEpoch: first.sinceEpoch + 27), CivilDay(ofSecond: month.upperBound)] {
                #expect(WallTime.month(of: day) == month)
            }
            first = CivilDay(ofSecond: month.upperBound + 1)
            #expect(first.day == 1)
        }
        #expect(first == CivilDay(year: 2200, month: 1, day: 1))
    }

    @Test func `aspect ratios are encoded to within about one per cent`() {
        for (width, height) in [(4032, 3024), (1, 1), (16, 9), (9, 16), (3, 2), (12_000, 1_000), (1_000, 12_000)] {
            let ratio = AspectRatio.ratio(AspectRatio.byte(width: width, height: height))
            #expect(abs(ratio * Double(height) / Double(width) - 1) < 0.011, "\(width) x \(height): \(ratio)")
        }
        #expect(AspectRatio.byte(width: 0, height: 5) == 0 && AspectRatio.ratio(0) == AspectRatio.assumed)
        #expect(AspectRatio.byte(width: 1_000, height: 1) == 255 && AspectRatio.byte(width: 1, height: 1_000) == 1)
    }
}
