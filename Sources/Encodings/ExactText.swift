/// A text that is compared and hashed by its bytes in UTF-8.
///
/// `String` treats canonically equivalent texts as equal, but two different folders can have such names. To compare or
/// hash a text, `String` also sorts each run of combining marks (Unicode Standard Annex #15), in time that grows with
/// the square of the run's length. So use untrusted text as a key only in this form, or after limiting its length.
public struct ExactText: Hashable, Sendable {
    public let text: String

    @inlinable public init(_ text: String) { self.text = text }

    @inlinable public static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    @inlinable public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
