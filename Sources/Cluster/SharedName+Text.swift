import Images
import Loading
import Renditions

extension SharedName {
    /// What a lease covers: all renditions of a remote image, since one fetch serves them all, but a single rendition
    /// of a local file.
    var subject: String { version == nil ? "\(image)" : text }

    /// The form used in keys and messages; contains no white space.
    var text: String { "\(image).\(version.map(\.description) ?? "-").\(rendition.rawValue).\(format.rawValue)" }

    /// Nil unless `text` has the form that ``text`` produces.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let image = ImageID(String(parts[0])),
            let rendition = Rendition(rawValue: String(parts[2])), rendition.longestSide != nil,
            let format = OutputFormat(rawValue: String(parts[3]))
        else { return nil }
        if parts[1] == "-" {
            self.init(image: image, version: nil, rendition: rendition, format: format)
        } else {
            guard let version = ContentVersion(String(parts[1])) else { return nil }
            self.init(image: image, version: version, rendition: rendition, format: format)
        }
    }
}
