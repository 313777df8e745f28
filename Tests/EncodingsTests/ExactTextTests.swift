import Testing

@testable import Encodings

@Suite struct ExactTextTests {
    @Test func `texts are equal only if their bytes are`() {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(ExactText(composed) != ExactText(decomposed))
        #expect(Set([composed, decomposed, composed].map(ExactText.init)).count == 2)
        // Built in pieces, so that it is stored differently.
        let pieces = ["caf", "\u{e9}"].joined()
        #expect(Set([ExactText(composed)]).contains(ExactText(pieces)))
    }
}
