import HTTPServer
import Origins
import Testing

@testable import GalleryServer

@Suite struct PatienceTests {
    @Test(arguments: [nil, Duration.seconds(45)])
    func `a half-closed connection is kept longer than an origin may stay silent`(firstByte: Duration?) {
        var configuration = Gallery.Configuration(dataFolder: "/data", publicFolder: "/front")
        if let firstByte { configuration.origins.firstByteTimeout = firstByte }
        let limit = configuration.serving.halfCloseTimeout
        #expect(limit > configuration.origins.firstByteTimeout)
        #expect(limit > configuration.origins.lowSpeedWindow)
    }
}
