import Renditions

@testable import Decoding

/// The walkers that count what a decoder would unpack: they stop at their limit.
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
        guard let head = AVIFSequence.pictureHead(reader.head) else { return }
        reader.present(head)
        precondition(reader.seek(to: 0, whence: 0) == 0)
        let rest = input.dropFirst(head.count)
        precondition(reader.chunk(upTo: input.count) == head + rest, "more than the head is other")
    }
}

enum TIFFTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        precondition((0...limit + 1).contains(TIFFPages.count(in: reader, upTo: limit)))
        EXIFTarget.run(reader.head)
    }
}

enum JPEGTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        precondition((0...limit + 1).contains(JPEGScans.count(in: reader, upTo: limit)))
    }
}

/// What is hidden from the decoder is in order, apart and within the file; the rest is read as if it were the file.
enum PNGTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let reader = reader(of: input) else { return }
        let excess: [Range<Int64>]
        do throws(RenderError) {
            excess = try PNGChunks.excess(in: reader)
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
    }
}

enum WebPTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        let bare = WebPContainer.withoutMetadata(input)
        precondition(bare.count <= input.count, "leaving out makes it longer")
        guard bare != input else { return }
        let size = bare[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        precondition(bare.starts(with: "RIFF".utf8) && size == bare.count - 8, "the container has another size")
        precondition(WebPContainer.withoutMetadata(bare) == bare, "something is left to leave out")
    }
}
