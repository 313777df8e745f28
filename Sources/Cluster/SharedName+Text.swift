import Images
import Loading
import Renditions

extension SharedName {
    /// What a turn is of: of a remote image all renditions, since one fetch serves them all; of a local file this one.
    var subject: String { version == nil ? "\(image)" : text }

    /// Its written form, in keys and messages: no white space in it.
    var text: String { "\(image).\(version.map(\.description) ?? "-").\(rendition.rawValue).\(format.rawValue)" }

    /// Nil for what ``text`` does not make.
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
