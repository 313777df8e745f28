import Images

/// The names of sidecars.
///
/// XMP is `IMG.jpg.xmp`, or else `IMG.xmp`. Google Takeout's JSON is `IMG.jpg.supplemental-metadata.json`, with its name
/// cut to 46 characters before `.json`, or `IMG.jpg.json` in older exports. `IMG(1).jpg` has `IMG.jpg(1).json`, and the
/// edited copy `IMG-edited.jpg` shares the JSON of `IMG.jpg`.
enum SidecarName {
    private static let json = Array(".json".utf8)
    private static let xmp = [Array(".xmp".utf8), Array(".XMP".utf8)]
    private static let supplement = Array(".supplemental-metadata".utf8)
    /// The number of characters that Takeout leaves of a name before `.json`.
    private static let longestTakeoutName = 46

    /// What Takeout appends to the names of edited copies, in its languages.
    private static let editedEndings = [
        "-edited", "-bearbeitet", "-modifié", "-editado", "-modificato", "-bewerkt", "-edytowane", "-redigerad",
        "-redigeret", "-redigert", "-muokattu", "-upraveno", "-編集済み", "-已修改", "-수정됨", "-изменено",
    ].map { Array($0.utf8) }

    /// Whether a file with this name may be a sidecar, and of which format.
    static func format(of name: some BidirectionalCollection<UInt8>) -> SidecarFormat? {
        if name.suffix(4).elementsEqual(xmp[0]) || name.suffix(4).elementsEqual(xmp[1]) { return .xmp }
        return name.suffix(5).elementsEqual(json) ? .takeout : nil
    }

    /// Every possible name of a picture's sidecar begins with these bytes of the picture's own name.
    static func commonStart(of picture: [UInt8]) -> ArraySlice<UInt8> {
        let parts = Parts(picture)
        let stem = parts.unnumbered
        // Characters may take several bytes, and a name is cut after a whole one.
        return (withoutEditedEnding(stem) ?? stem).prefix(longestTakeoutName - 4)
    }

    /// Calls `find` with the names that a picture's sidecar may have, the preferred one first, until it returns a value.
    static func first<Found, Failure: Error>(
        _ format: SidecarFormat, of picture: [UInt8], _ find: ([UInt8]) throws(Failure) -> Found?
    ) throws(Failure) -> Found? {
        switch format {
        case .xmp:
            for ending in xmp { if let found = try find(picture + ending) { return found } }
            let stem = Array(Parts(picture).stem)
            guard stem.count < picture.count else { return nil }
            for ending in xmp { if let found = try find(stem + ending) { return found } }
        case .takeout:
            for (title, number) in takeoutTitles(of: picture) {
                if let found = try first(ofTitle: title, number, find) { return found }
            }
        }
        return nil
    }

    private static func first<Found, Failure: Error>(
        ofTitle title: [UInt8], _ number: ArraySlice<UInt8>, _ find: ([UInt8]) throws(Failure) -> Found?
    ) throws(Failure) -> Found? {
        let whole = cut(title + supplement)
        for name in [whole, cut(title)] { if let found = try find(name + number + json) { return found } }
        // Some exports are cut elsewhere.
        for length in (1..<supplement.count).reversed() {
            let name = title + supplement.prefix(length)
            if name != whole, let found = try find(name + number + json) { return found }
        }
        return nil
    }

    /// The names that Takeout may have had for a picture, each with the number that it appends to distinguish files with
    /// the same name.
    private static func takeoutTitles(of picture: [UInt8]) -> [(title: [UInt8], number: ArraySlice<UInt8>)] {
        let parts = Parts(picture)
        var titles: [(title: [UInt8], number: ArraySlice<UInt8>)] = []
        if !parts.number.isEmpty { titles.append((Array(parts.unnumbered + parts.ending), parts.number)) }
        titles.append((picture, []))
        if let original = withoutEditedEnding(parts.unnumbered) {
            titles.append((Array(original + parts.ending), parts.number))
        }
        return titles
    }

    private static func withoutEditedEnding(_ stem: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        editedEndings.first { stem.count > $0.count && stem.suffix($0.count).elementsEqual($0) }
            .map { stem.dropLast($0.count) }
    }

    private static func cut(_ name: [UInt8]) -> [UInt8] {
        guard name.count > longestTakeoutName else { return name }
        guard name.contains(where: { $0 >= 0x80 }), let text = String(validating: name, as: UTF8.self) else {
            return Array(name.prefix(longestTakeoutName))
        }
        return Array(String(decoding: text.utf16.prefix(longestTakeoutName), as: UTF16.self).utf8)
    }

    /// The parts of a name: `IMG`, `(1)` and `.jpg`.
    private struct Parts {
        /// The name without its extension.
        let stem: ArraySlice<UInt8>
        /// The stem without its number.
        let unnumbered: ArraySlice<UInt8>
        /// A number in parentheses at the end of the stem.
        let number: ArraySlice<UInt8>
        /// The extension with its dot.
        let ending: ArraySlice<UInt8>

        init(_ name: [UInt8]) {
            let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.endIndex
            stem = name[..<dot]
            ending = name[dot...]
            let digits = stem.dropLast().reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            let start = stem.endIndex - digits.count - 2
            if stem.last == UInt8(ascii: ")"), 1...4 ~= digits.count, start > 0, stem[start] == UInt8(ascii: "(") {
                unnumbered = stem[..<start]
                number = stem[start...]
            } else {
                unnumbered = stem
                number = []
            }
        }
    }
}
