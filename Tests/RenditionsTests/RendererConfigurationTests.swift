import Testing

@testable import Renditions

@Suite struct RendererConfigurationTests {
    @Test func `the defaults are valid`() {
        #expect(throws: Never.self) { try Renderer.Configuration().validate() }
    }

    @Test func `a value out of its bounds is named`() {
        func expectInvalid(_ field: String, _ change: (inout Renderer.Configuration) -> Void) {
            var configuration = Renderer.Configuration()
            change(&configuration)
            #expect(throws: Renderer.Configuration.Invalid(field: field)) { try configuration.validate() }
        }
        expectInvalid("maximumPixels") { $0.maximumPixels = 0 }
        expectInvalid("maximumPixelsOfAllFrames") { $0.maximumPixelsOfAllFrames = -1 }
        expectInvalid("maximumSide") { $0.maximumSide = 0 }
        expectInvalid("maximumFrames") { $0.maximumFrames = 0 }
        expectInvalid("maximumScans") { $0.maximumScans = 0 }
        expectInvalid("maximumDecodedBytes") { $0.maximumDecodedBytes = 0 }
        expectInvalid("maximumBytes") { $0.maximumBytes = 0 }
        expectInvalid("maximumVectorBytes") { $0.maximumVectorBytes = 0 }
        expectInvalid("background") { $0.background = 0x1_00_00_00 }
    }
}
