import Images

@testable import Catalog

extension Cursor {
    /// The text with ids in plain form.
    var plainText: String { text { $0.rawValue } }

    init?(plain text: String) { self.init(text) { ImageID(rawValue: $0) } }
}
