import Images
import TestSupport
import Testing

@testable import Catalog

@Suite struct NaturalKeyTests {
    private func key(_ name: String) -> NaturalKey { NaturalKey(Array(name.utf8)) }

    @Test(arguments: [
        ["IMG_2.jpg", "IMG_10.jpg", "IMG_100.jpg"], ["a", "B", "c"], ["a.jpg", "a1.jpg", "a2.jpg", "a10.jpg"],
        ["1", "2", "10", "99999999999999999999998", "99999999999999999999999"], ["x001", "x1", "x01a", "x1b", "x002"],
        ["2024-01-02 9.jpg", "2024-01-02 10.jpg", "2024-01-10 1.jpg"],
    ]) func `names are in natural order`(names: [String]) {
        #expect(names.map(key).sorted() == names.map(key))
    }

    @Test func `a run of hundreds of digits is a number, too`() {
        let nines = String(repeating: "9", count: 254)
        #expect(key(nines) < key("1" + nines))
        #expect(key("1" + nines) < key("2" + nines))
        #expect(key(nines + "9" + "99") < key("1" + nines + "99" + "00"))
    }

    @Test func `the order is total and transitive, whatever the names`() {
        let alphabet = Array("0019aAbB._ é".utf8) + [0xff, 0x00]
        var random = SeededRandom(seed: 3)
        func name() -> [UInt8] {
            (0..<Int.random(in: 0..<6, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
        }
        for _ in 0..<20_000 {
            let (a, b, c) = (name(), name(), name())
            let (x, y, z) = (NaturalKey(a), NaturalKey(b), NaturalKey(c))
            #expect([x < y, y < x, a == b].count { $0 } == 1)
            if x < y, y < z { #expect(x < z) }
        }
    }
}

@Suite struct FilePathTests {
    @Test func `every file name has one text form, from which it can be restored`() {
        var random = SeededRandom(seed: 5)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("é".utf8), [0xe9], [0xff], [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x8f, 0xbc, 0xa9],
            [0xf4],
            Array("/".utf8), [0x80], Array("😀".utf8), [0xed, 0xa0, 0x80],
        ]
        var texts: [String: [UInt8]] = [:]
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 0..<6, using: &random)).flatMap { _ in
                pieces.randomElement(using: &random) ?? []
            }
            let text = FilePath.text(of: name)
            #expect(FilePath.bytes(of: text) == name)
            #expect(texts[text] == nil || texts[text] == name)
            texts[text] = name
        }
    }
}

@Suite struct ImageIDGeneratorTests {
    @Test func `ids do not change between releases`() {
        var repeats: [UInt64: UInt64] = [:]
        let file = ImageIDGenerator(folder: "Pictures", namesakes: 0).id(of: "a/b.jpg", repeats: &repeats) { _ in false
        }
        let url = ImageIDGenerator().id(of: "https://a.test/1.jpg", repeats: &repeats) { _ in false }
        #expect("\(file) \(url)" == "bjdps4htfhv1q 4aj9nhqv4gkv2")
    }

    @Test func `an id that is already taken is replaced by the next one`() {
        var repeats: [UInt64: UInt64] = [:]
        var taken: Set<UInt64> = []
        let ids = (0..<5).map { _ in
            let id = ImageIDGenerator().id(of: "x", repeats: &repeats, isTaken: taken.contains)
            taken.insert(id.rawValue)
            return id
        }
        #expect(Set(ids).count == 5)
    }
}

@Suite struct ListingTests {
    @Test func `every image is found at its position, across blocks and in a growing listing`() {
        var builder = ListingBuilder()
        var random = SeededRandom(seed: 1)
        let ids = (0..<Listing.blockSize + 1000).map { _ in ImageID(rawValue: random.next()) }
        for (row, id) in ids.enumerated() {
            builder.append(id, row: UInt32(row))
            guard row == 10 || row == Listing.blockSize - 1 || row == ids.count - 1 else { continue }
            let listing = builder.listing()
            #expect(listing.count == row + 1)
            for position in stride(from: 0, through: row, by: 97) {
                #expect(listing[position] == (ids[position], UInt32(position)))
                #expect(listing.position(of: ids[position]) == position)
            }
            #expect(listing.position(of: ImageID(rawValue: 1)) == nil)
        }
    }
}

@Suite struct CursorTests {
    @Test func `a cursor is restored from its text`() {
        for cursor in [
            Cursor(after: nil, hint: 5), Cursor(after: ImageID(rawValue: 7), hint: 0),
            Cursor(after: ImageID(rawValue: .max), hint: .max),
        ] {
            #expect(Cursor(plain: cursor.plainText) == cursor)
            #expect(cursor.plainText.utf8.count == 32)
        }
    }

    @Test func `a forged cursor is refused`() {
        let good = Cursor(after: ImageID(rawValue: 7), hint: 3).plainText
        for text in [
            "", "x", good + "A", String(good.dropLast()), good + "=", "null", "0", good.uppercased(),
            "é" + good.dropFirst(2),
        ] {
            #expect(Cursor(plain: text) == nil)
        }
        var random = SeededRandom(seed: 2)
        for _ in 0..<2000 {
            var bytes = Array(good.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let other = UInt8.random(in: 33..<127, using: &random)
            guard bytes[place] != other else { continue }
            bytes[place] = other
            #expect(Cursor(plain: String(decoding: bytes, as: UTF8.self)) == nil)
        }
    }
}
