import Glibc

/// The size of a vector drawing by the attributes of its root (SVG 2, §8), and the attributes that give it another.
struct DrawingFrame {
    /// In pixels; nil if the attribute is missing, a percentage, or malformed.
    private(set) var width: Double?
    private(set) var height: Double?
    /// The part of the drawing's plane that fills the frame: left, top, width, height; nil if it is not stated.
    private(set) var viewBox: [Double]?
    /// The ranges of these attributes.
    private var ranges: [Range<Int>] = []

    /// A browser's default for a drawing whose size nothing tells (CSS 2.2, 10.3.2).
    static let defaultSize = (width: 300.0, height: 150.0)

    /// - Parameter attributes: The root's start tag after its name.
    init(_ attributes: ArraySlice<UInt8>) {
        for (name, value, range) in Self.attributes(in: attributes) {
            switch name {
            case "width": width = Self.length(value)
            case "height": height = Self.length(value)
            case "viewBox": viewBox = Self.box(value)
            default: continue
            }
            ranges.append(range)
        }
    }

    /// The size in pixels as the decoder determines it; nil if it depends on what is drawn.
    var size: (width: Double, height: Double)? {
        switch (width, height, viewBox) {
        case (let width?, let height?, _): (width, height)
        case (let width?, nil, let box?): (width, width * box[3] / box[2])
        case (nil, let height?, let box?): (height * box[2] / box[3], height)
        case (nil, nil, let box?): (box[2], box[3])
        case (_, _, nil): nil
        }
    }

    /// The attributes with this size in place of their own. What filled a frame of `natural` size fills this one.
    func attributes(
        _ attributes: ArraySlice<UInt8>, width: Double, height: Double, natural: (width: Double, height: Double)
    ) -> [UInt8] {
        let box = viewBox ?? [0, 0, natural.width, natural.height]
        let words = box.map { "\($0)" }.joined(separator: " ")
        var result = Array(" width=\"\(width)\" height=\"\(height)\" viewBox=\"\(words)\"".utf8)
        var position = attributes.startIndex
        for range in ranges {
            result += attributes[position..<range.lowerBound]
            position = range.upperBound
        }
        return result + attributes[position...]
    }

    // MARK: - Parsing

    private static func attributes(
        in text: ArraySlice<UInt8>
    ) -> [(name: String, value: String, range: Range<Int>)] {
        var found: [(String, String, Range<Int>)] = []
        var rest = text
        while let start = rest.firstIndex(where: { $0 > 0x20 }) {
            guard let equals = rest[start...].firstIndex(of: UInt8(ascii: "=")),
                let opening = rest[(equals + 1)...].firstIndex(where: { $0 > 0x20 }),
                [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(rest[opening]),
                let closing = rest[(opening + 1)...].firstIndex(of: rest[opening])
            else { return found }
            let name = String(decoding: rest[start..<equals].prefix { $0 > 0x20 }, as: UTF8.self)
            let value = String(decoding: rest[(opening + 1)..<closing], as: UTF8.self)
            found.append((name, value, start..<closing + 1))
            rest = rest[(closing + 1)...]
        }
        return found
    }

    /// The units of CSS at 72 dots per inch, which the decoder assumes, with its usual size of letters.
    private static let units: [String: Double] = [
        "": 1, "px": 1, "pt": 1, "pc": 12, "in": 72, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "em": 12, "ex": 6,
    ]

    private static func length(_ text: String) -> Double? {
        let text = trimmed(text)
        let unit = text.reversed().prefix { $0.isLetter || $0 == "%" }
        // An exponent looks like a unit at first: "1e3".
        guard let scale = units[String(unit.reversed()).lowercased()], let number = Double(text.dropLast(unit.count)),
            number > 0, number.isFinite
        else { return nil }
        return number * scale
    }

    private static func box(_ text: String) -> [Double]? {
        let numbers = text.split { $0 == "," || $0.isWhitespace }.map { Double($0) ?? .nan }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else { return nil }
        return numbers
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
