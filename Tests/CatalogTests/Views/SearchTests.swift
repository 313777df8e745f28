import Testing

@testable import Catalog

@Suite struct SearchTests {
    private func kinds(_ text: String) throws -> [Search.Kind] { try Search(text).terms.map(\.kind) }

    @Test func `words are folded, quotes hold them together, and a minus excludes`() throws {
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

    @Test func `dates span what they say`() throws {
        func span(_ from: (Int, Int, Int), _ to: (Int, Int, Int)) -> ClosedRange<Int64> {
            Int64(WallTime.days(from.0, from.1, from.2)) * 86_400...Int64(WallTime.days(to.0, to.1, to.2)) * 86_400 - 1
        }
        #expect(try kinds("taken:2019") == [.taken(span((2019, 1, 1), (2020, 1, 1)))])
        #expect(try kinds("taken:2019-12") == [.taken(span((2019, 12, 1), (2020, 1, 1)))])
        #expect(try kinds("taken:2020-02-29") == [.taken(span((2020, 2, 29), (2020, 3, 1)))])
        #expect(try kinds("taken:2019-06..2019-08") == [.taken(span((2019, 6, 1), (2019, 9, 1)))])
        guard case .taken(let open) = try kinds("taken:2019..").first else { throw ViewError(field: "", reason: "") }
        #expect(open.upperBound == .max)
    }

    @Test(arguments: [
        "taken:20x", "taken:2019-13", "taken:2019-08..2019-06", "taken:..", "near:1", "near:91,0", "near:1,2,-3km",
        "type:cake", "is:red", "taken:2019-6",
    ])
    func `a word that is not understood is named`(text: String) {
        let error = #expect(throws: ViewError.self) { try Search("cat \(text) dog") }
        #expect(error?.field == "q" && error?.word == text)
    }

    @Test(arguments: ["taken:", "-", "\"\"", "\"", "folder:", "is:", "near:", ""])
    func `a word that is still being typed is nothing yet`(text: String) throws {
        #expect(try Search(text).isEmpty)
    }

    @Test(arguments: [
        "\u{35f}a b", "a \u{301}b", "\"\u{35f}a b", "a\" \u{301}b\"", "\u{b}\u{35f}x \"\u{200d}y", "-\u{301}a",
        "a\r\nb \"c\r\nd",
    ])
    func `what was understood is understood as the same again, marks without a letter included`(text: String) throws {
        let search = try Search(text)
        #expect(!search.isEmpty)
        let again = try Search(search.text)
        #expect(again.text.unicodeScalars.elementsEqual(search.text.unicodeScalars) && again.terms == search.terms)
    }

    @Test func `a quotation that is left open counts with its end`() {
        #expect(throws: Never.self) { try Search("\"" + String(repeating: "a", count: Search.longest - 2)) }
        #expect(throws: ViewError.self) { try Search("\"" + String(repeating: "a", count: Search.longest - 1)) }
    }

    @Test func `a colon after another word is part of it`() throws {
        #expect(try kinds("12:30") == [.word(Array("12:30".utf8))])
        #expect(try kinds("\"taken:2019\"") == [.word(Array("taken:2019".utf8))])
    }

    @Test func `months come back from their seconds, over four hundred years and before 1970`() {
        var day = WallTime.days(1800, 1, 1)
        for year in 1800..<2200 {
            for month in 1...12 {
                let next = month == 12 ? WallTime.days(year + 1, 1, 1) : WallTime.days(year, month + 1, 1)
                #expect(WallTime.days(year, month, 1) == day)
                #expect(WallTime.month(of: Int64(day) * 86_400) == (year, month))
                #expect(WallTime.month(of: Int64(next) * 86_400 - 1) == (year, month))
                day = next
            }
        }
    }

    @Test func `proportions keep within two per cent`() {
        for (width, height) in [(4032, 3024), (1, 1), (16, 9), (9, 16), (3, 2), (12_000, 1_000), (1_000, 12_000)] {
            let ratio = AspectRatio.ratio(AspectRatio.byte(width: width, height: height))
            #expect(abs(ratio * Double(height) / Double(width) - 1) < 0.011, "\(width) x \(height): \(ratio)")
        }
        #expect(AspectRatio.byte(width: 0, height: 5) == 0 && AspectRatio.ratio(0) == AspectRatio.assumed)
        #expect(AspectRatio.byte(width: 1_000, height: 1) == 255 && AspectRatio.byte(width: 1, height: 1_000) == 1)
    }
}
