@testable import Decoding

/// Builds TIFFs of several images, which may have parts of their own (SubIFDs).
struct TIFFBuilder {
    struct Image {
        /// Whole numbers by tag; those of `SHORT` fields.
        var shorts: [UInt16: [Int]] = [:]
        /// Whole numbers by tag; those of `LONG` fields.
        var longs: [UInt16: [Int]] = [:]
        /// Contents of other fields by tag, with their type and count.
        var others: [UInt16: (type: UInt16, count: Int, bytes: [UInt8])] = [:]
        /// The only strip.
        var data: [UInt8]
        var parts: [Image] = []
    }

    var isBig = false
    var pages: [Image] = []

    /// Red, green and blue with eight bits each.
    static func image(_ pixels: Pixels, subfile: Int? = nil) -> Image {
        var image = Image(data: pixels.bytes)
        image.longs = [256: [pixels.width], 257: [pixels.height], 278: [pixels.height]]
        image.shorts = [258: [8, 8, 8], 259: [1], 262: [2], 277: [3]]
        image.longs[254] = subfile.map { [$0] }
        return image
    }

    /// Grey with 32 bits, as little-endian bytes.
    static func grey(width: Int, height: Int, sampleFormat: Int, _ samples: [UInt32]) -> Image {
        var image = Image(data: samples.flatMap { Sample.little32($0) })
        image.longs = [256: [width], 257: [height], 278: [height]]
        image.shorts = [258: [32], 259: [1], 262: [1], 277: [1], 339: [sampleFormat]]
        return image
    }

    var bytes: [UInt8] {
        var out = Array("II".utf8) + (isBig ? [43, 0, 8, 0, 0, 0] : [42, 0])
        var pointer = out.count
        out += [UInt8](repeating: 0, count: isBig ? 8 : 4)
        for page in pages { pointer = append(page, to: &out, from: pointer) }
        return out
    }

    private func offset(_ value: Int) -> [UInt8] {
        Sample.little32(UInt32(value)) + (isBig ? [0, 0, 0, 0] : [])
    }

    /// Appends an image whose offset belongs at `pointer`; returns the place for that of the next.
    private func append(_ image: Image, to out: inout [UInt8], from pointer: Int) -> Int {
        let strip = out.count
        out += image.data
        var fields: [UInt16: (type: UInt16, count: Int, bytes: [UInt8])] = image.others
        for (tag, values) in image.shorts {
            fields[tag] = (3, values.count, values.flatMap { Sample.little16(UInt16($0)) })
        }
        for (tag, values) in image.longs {
            fields[tag] = (4, values.count, values.flatMap { Sample.little32(UInt32($0)) })
        }
        fields[273] = (4, 1, Sample.little32(UInt32(strip)))
        fields[279] = (4, 1, Sample.little32(UInt32(image.data.count)))
        if !image.parts.isEmpty {
            var offsets: [Int] = []
            for part in image.parts {
                let place = out.count
                out += offset(0)
                _ = append(part, to: &out, from: place)
                offsets.append(place)
            }
            let starts = offsets.map { Array(out[$0..<$0 + 4]) }
            fields[330] = (4, starts.count, Array(starts.joined()))
        }
        let inside = isBig ? 8 : 4
        var places: [UInt16: Int] = [:]
        for (tag, field) in fields where field.bytes.count > inside {
            places[tag] = out.count
            out += field.bytes
        }
        out.replaceSubrange(pointer..<pointer + offset(0).count, with: offset(out.count))
        out += Sample.little16(UInt16(fields.count)) + (isBig ? [0, 0, 0, 0, 0, 0] : [])
        for (tag, field) in fields.sorted(by: { $0.key < $1.key }) {
            out += Sample.little16(tag) + Sample.little16(field.type) + offset(field.count)
            let value = places[tag].map(offset) ?? field.bytes
            out += value + [UInt8](repeating: 0, count: inside - value.count)
        }
        let next = out.count
        out += offset(0)
        return next
    }
}
