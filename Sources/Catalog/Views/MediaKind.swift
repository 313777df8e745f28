import Images

/// An image's format as search knows it, from its media type or, until that is known, from its file name.
struct MediaKind: Hashable, Sendable, RawRepresentable {
    let rawValue: UInt8

    static let unknown = MediaKind(rawValue: 0)

    private static let numbers: [String: UInt8] = Dictionary(
        ImageFormat.all.enumerated().flatMap { number, format in
            ([format.name] + format.aliases + format.fileExtensions).map { ($0, UInt8(number + 1)) }
        }, uniquingKeysWith: { first, _ in first })
    private static let numbersByMediaType: [String: UInt8] = Dictionary(
        uniqueKeysWithValues: ImageFormat.all.enumerated().flatMap { number, format in
            format.mediaTypes.map { ($0, UInt8(number + 1)) }
        })

    static var names: [String] { ImageFormat.all.map(\.name) }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nil for an unknown name.
    init?(name: String) {
        guard let number = Self.numbers[name] else { return nil }
        rawValue = number
    }

    /// - Parameters:
    ///   - mediaType: For example `image/jpeg`; nil if unknown.
    ///   - name: The file name, whose extension decides if the media type is unknown.
    init(mediaType: String?, name: String) {
        if let mediaType {
            self = Self.numbersByMediaType[mediaType].map(MediaKind.init(rawValue:)) ?? .unknown
        } else {
            let end = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[$0...].dropFirst()) } ?? ""
            self = MediaKind(name: end.lowercased()) ?? .unknown
        }
    }
}
