/// What kind of picture it is, for searching: by what was learnt, or else by the name.
struct MediaKind: Hashable, Sendable, RawRepresentable {
    let rawValue: UInt8

    static let unknown = MediaKind(rawValue: 0)

    /// Each kind's names, the first of them the one that is told.
    private static let all: [[String]] = [
        ["jpeg", "jpg", "jpe", "jfif", "pjpeg"], ["png", "apng"], ["gif"], ["webp"], ["avif"], ["heic", "heif", "hif"],
        ["tiff", "tif"], ["svg", "svg+xml", "svgz"], ["jxl"], ["bmp", "x-ms-bmp"], ["ico", "x-icon"], ["jp2", "j2k"],
        ["raw", "dng", "cr2", "cr3", "nef", "arw", "x-adobe-dng", "x-canon-cr2", "x-nikon-nef", "x-sony-arw"],
        ["psd", "vnd.adobe.photoshop"],
    ]
    private static let numbers: [String: UInt8] = Dictionary(
        uniqueKeysWithValues: all.enumerated().flatMap { number, names in names.map { ($0, UInt8(number + 1)) } })

    static var names: [String] { all.map { $0[0] } }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nil for a name that no kind has.
    init?(name: String) {
        guard let number = Self.numbers[name] else { return nil }
        rawValue = number
    }

    /// - Parameters:
    ///   - mediaType: such as `image/jpeg`.
    ///   - name: of the file, whose ending tells where nothing is learnt yet.
    init(mediaType: String?, name: String) {
        if let mediaType {
            self = MediaKind(name: String(mediaType.drop { $0 != "/" }.dropFirst())) ?? .unknown
        } else {
            let end = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[$0...].dropFirst()) } ?? ""
            self = MediaKind(name: end.lowercased()) ?? .unknown
        }
    }
}
