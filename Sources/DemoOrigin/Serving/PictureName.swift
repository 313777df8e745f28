import HTTPServer
import HTTPTypes

/// Parses the segments of a picture's path.
enum PictureName {
    /// "17.jpg": a picture in its own size.
    static func picture(file: String?, seed: UInt64) throws -> NumberedPicture {
        guard let number = whole(file?.droppingSuffix(".jpg")),
            let picture = NumberedPicture(number: number, seed: seed)
        else { throw Problem(.notFound, detail: "A picture is named by a number below \(NumberMosaic.limit): 17.jpg") }
        return picture
    }

    /// "17" and "800x600.jpg": a picture in a given size.
    static func picture(index: String?, size: String?) throws -> NumberedPicture {
        let sides = size?.droppingSuffix(".jpg")?.split(separator: "x", omittingEmptySubsequences: false) ?? []
        guard let number = whole(index?[...]), sides.count == 2, let width = whole(sides[0]),
            let height = whole(sides[1]), let picture = NumberedPicture(number: number, width: width, height: height)
        else {
            let (least, most) = (NumberedPicture.sides.lowerBound, NumberedPicture.sides.upperBound)
            throw Problem(.notFound, detail: "A picture has from \(least) to \(most) pixels a side: 17/800x600.jpg")
        }
        return picture
    }

    private static func whole(_ text: Substring?) -> Int? {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension String {
    fileprivate func droppingSuffix(_ suffix: String) -> Substring? {
        hasSuffix(suffix) ? dropLast(suffix.count) : nil
    }
}
