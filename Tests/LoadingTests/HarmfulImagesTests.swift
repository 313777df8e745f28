import BlockingIO
import Dispatch
import Images
import Logging
import Renditions
import Testing

@testable import Loading

@Suite struct HarmfulImagesTests {
    private let folder = LoaderFixture.makeFolder()
    private let pool = BlockingPool(label: "test", threads: 1)
    private let version = ContentVersion(rawValue: 7)

    private func database() throws -> CacheDatabase {
        try CacheDatabase(
            path: folder + "/renditions.sqlite", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func request(_ id: UInt64) -> LoadRequest {
        let image = GalleryImage(
            id: ImageID(rawValue: id), name: "deadly.svg", location: .remote(url: "http://origin/deadly.svg"),
            version: version, metadata: ImageMetadata())
        return LoadRequest(image: image, rendition: .tile, format: .webp)
    }

    private func isHarmful(_ id: UInt64, _ images: HarmfulImages) -> Bool {
        images.failure(
            of: ImageID(rawValue: id), version: version, bypassesNegativeCache: false, now: .zero) != nil
    }

    @Test func `what a busy write pool left behind at shutdown is remembered`() throws {
        let held = DispatchSemaphore(value: 0)
        let isBusy = DispatchSemaphore(value: 0)
        pool.submit {
            isBusy.signal()
            held.wait()
        }
        isBusy.wait()
        let before = try database()
        let images = HarmfulImages(database: before, pool: pool, capacity: 10)
        images.note(.decoderDied, of: request(1), version: version)
        images.note(.decoderDied, of: request(2), version: version)
        images.forgive(request(2))
        pool.stop()
        held.signal()
        #expect(pool.join(for: 10))
        images.flush()
        before.close()

        let again = HarmfulImages(database: try database(), pool: pool, capacity: 10)
        #expect(isHarmful(1, again))
        #expect(!isHarmful(2, again) && again.count == 1)
    }

    @Test func `beyond the capacity a new image replaces another, after a restart, too`() throws {
        let before = try database()
        let images = HarmfulImages(database: before, pool: pool, capacity: 3)
        for id in 1...9 { images.note(.decoderDied, of: request(UInt64(id)), version: version) }
        #expect(images.count == 3 && isHarmful(9, images))
        pool.stop()
        #expect(pool.join(for: 10))
        images.flush()
        before.close()

        let again = HarmfulImages(database: try database(), pool: pool, capacity: 10)
        #expect(again.count == 3 && isHarmful(9, again))
    }
}
