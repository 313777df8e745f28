import Renditions

@testable import Decoding

/// The scanners that count what a decoder would unpack: they stop at their limit.
private let limit = 16

private func reader(of input: [UInt8]) -> SourceReader? {
    do throws(RenderError) {
        return try SourceReader(.bytes(input), stop: RenderStop())
    } catch {
        precondition(input.isEmpty && error.reason == .empty)
        return nil
    }
}

enum GIFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        precondition((0...limit + 1).contains(GIFFrames.count(in: reader, upTo: limit)))
    }
}

enum AVIFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        precondition(AVIFSequence.frames(in: reader) >= 1)
        _ = HEIFColour(reader).description(hasProfile: false)
        let brand = AVIFSequence.stillBrand(in: reader.head)
        precondition(brand.keys.allSatisfy { (8..<12).contains($0) }, "more than the brand is other")
        checkReplacing(brand, in: reader, of: input)
        guard let transformations = HEIFTransformations(reader) else { return }
        precondition((1...8).contains(transformations.orientation))
        checkReplacing(transformations.replacements.merging(brand) { $1 }, in: reader, of: input)
    }
}

/// The reader shows these bytes in place of the input's, and all others as they are.
private func checkReplacing(_ bytes: [Int64: UInt8], in reader: SourceReader, of input: [UInt8]) {
    reader.replace(bytes)
    var expected = input
    for (position, byte) in bytes { expected[Int(position)] = byte }
    precondition(reader.seek(to: 0, whence: 0) == 0)
    precondition(reader.chunk(upTo: input.count + 1) == expected, "other bytes than those to replace are other")
}

enum TIFFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        let images = TIFFImages(in: reader, upTo: limit)
        precondition((0...limit + 1).contains(images.pages))
        if let selection = TIFFSelection(images) {
            precondition(
                selection.pages >= 1 && selection.levels.allSatisfy { $0.longestSide < selection.main.longestSide })
        }
        EXIFTarget.run(reader.head)
    }
}

enum JPEGTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        precondition((0...limit + 1).contains(JPEGScans.count(in: reader, upTo: limit)))
        _ = JPEGScans.areComplete(in: reader)
    }
}

/// The parts hidden from the decoder are sorted, disjoint and within the file; the rest is read as if it were the file.
enum PNGTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        let excess: [Range<Int64>]
        do throws(RenderError) {
            var colour = PNGColour()
            excess = try PNGChunks.excess(in: reader) { colour.take($0, at: $1, of: reader) }
            _ = colour.description(hasProfile: false)
        } catch {
            return precondition(error.reason == .damaged)
        }
        var rest: [UInt8] = []
        var end: Int64 = 0
        for range in excess {
            precondition(range.lowerBound >= end && range.upperBound <= reader.fileLength && !range.isEmpty)
            rest += input[Int(end)..<Int(range.lowerBound)]
            end = range.upperBound
        }
        rest += input[Int(end)...]
        reader.hide(excess)
        precondition(reader.length == Int64(rest.count))
        precondition(reader.seek(to: 0, whence: 0) == 0)
        precondition(reader.chunk(upTo: rest.count + 1) == rest, "what is not hidden is read otherwise")
        guard excess.isEmpty, let repair = Repair(ofPNG: reader) else { return }
        precondition(repair.replacements.keys.allSatisfy { (8..<reader.fileLength).contains($0) })
    }
}

enum WebPTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        if let reader = reader(of: input), let cut = CutWebP(reader) {
            precondition(cut.covered.intersection(width: cut.width, height: cut.height) == cut.covered)
            precondition(!cut.data.isEmpty && cut.data.upperBound <= reader.length)
        }
        let bare = WebPContainer.withoutMetadata(input)
        precondition(bare.count <= input.count, "leaving out makes it longer")
        guard bare != input else { return }
        let size = bare[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        precondition(bare.starts(with: "RIFF".utf8) && size == bare.count - 8, "the container has another size")
        precondition(WebPContainer.withoutMetadata(bare) == bare, "something is left to leave out")
    }
}
