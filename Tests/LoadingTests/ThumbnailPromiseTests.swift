import Dispatch
import Images
import Locking
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Loading

/// A preview that may be a camera's thumbnail needs no worker; without a thumbnail the load goes on like any other.
@Suite(.timeLimit(.minutes(1))) struct ThumbnailPromiseTests {
    private let small = SmallJPEG(width: 160, height: 120).bytes

    private func load(
        _ fixture: LoaderFixture, _ image: GalleryImage, _ rendition: Rendition = .preview, accepts: Bool = true,
        into recorder: Recorder<LoaderFixture.Outcome>
    ) -> any LoadHandle {
        let request = LoadRequest(image: image, rendition: rendition, format: .webp, acceptsThumbnail: accepts)
        return fixture.loader.begin(request, priority: .visible()) { recorder.record($0) }
    }

    private func load(
        _ fixture: LoaderFixture, _ image: GalleryImage, _ rendition: Rendition = .preview, accepts: Bool = true
    ) async -> LoaderFixture.Outcome {
        let recorder = Recorder<LoaderFixture.Outcome>()
        _ = load(fixture, image, rendition, accepts: accepts, into: recorder)
        return await recorder.element(0)
    }

    @Test func `the thumbnail is delivered without a worker, and goes into no cache`() async throws {
        let fixture = try LoaderFixture()
        let version = fixture.write(CameraJPEG(thumbnail: small).bytes, to: 1)
        for count in 1...2 {
            let bytes = try #require(await load(fixture, fixture.local(1, version: version)).bytes)
            #expect(bytes.bytes == small && bytes.mediaType == "image/jpeg" && bytes.version == version)
            #expect((bytes.width, bytes.height) == (160, 120))
            #expect(fixture.renderer.renders.count == 0 && fixture.loader.statistics.thumbnails == count)
        }
        await fixture.close()
    }

    @Test func `whoever does not accept a thumbnail gets a preview from a worker, and so does every larger rendition`()
        async throws
    {
        let fixture = try LoaderFixture()
        let version = fixture.write(CameraJPEG(thumbnail: small).bytes, to: 1)
        let image = fixture.local(1, version: version)
        #expect(await load(fixture, image, accepts: false).bytes?.mediaType == "image/webp")
        #expect(await load(fixture, image, .tile).bytes?.mediaType == "image/webp")
        // By now the preview is in memory.
        #expect(await load(fixture, image).bytes?.mediaType == "image/webp")
        #expect(fixture.loader.statistics.thumbnails == 0)
        await fixture.close()
    }

    @Test func `files without a thumbnail, and files that are not what the catalog knows, go to a worker`() async throws
    {
        let fixture = try LoaderFixture()
        let plain = fixture.write(small, to: 1)
        #expect(await load(fixture, fixture.local(1, version: plain)).bytes?.mediaType == "image/webp")
        fixture.write(CameraJPEG(thumbnail: small).bytes, to: 2, modified: 2_000_000)
        let former = ContentVersion(fileSize: 1, modifiedSeconds: 1, nanoseconds: 0)
        #expect(await load(fixture, fixture.local(2, version: former)).bytes?.mediaType == "image/webp")
        #expect(await load(fixture, fixture.local(3, version: former)).failure?.status == 404)
        #expect(fixture.loader.statistics.thumbnails == 0)
        await fixture.close()
    }

    @Test func `a cancelled load delivers nothing, before and after the thumbnail was looked for`() async throws {
        let fixture = try LoaderFixture()
        let version = fixture.write(small, to: 1)
        fixture.renderer.isHeld = true
        let waiting = Recorder<LoaderFixture.Outcome>()
        let held = load(fixture, fixture.local(1, version: version), into: waiting)
        await fixture.reached { $0.rendersBegun == 1 }
        held.cancel()
        await fixture.reached { $0.jobs == 0 }

        fixture.hanging.withLock { $0 = [5] }
        let reading = load(fixture, fixture.local(1, in: 5, version: version), into: waiting)
        _ = await fixture.opened.first(3)
        reading.cancel()
        fixture.hanging.withLock { $0 = [] }
        fixture.disk.signal()
        fixture.renderer.isHeld = false
        // The same file once more: what had been cancelled would have come before it.
        #expect(await load(fixture, fixture.local(1, version: version)).bytes != nil)
        #expect(waiting.count == 0)
        await fixture.close()
    }

    @Test func `a disk that hangs is reported`() async throws {
        let fixture = try LoaderFixture { $0.diskDeadline = .milliseconds(100) }
        let version = fixture.write(CameraJPEG(thumbnail: small).bytes, to: 1)
        fixture.hanging.withLock { $0 = [0] }
        #expect(await load(fixture, fixture.local(1, version: version)).failure == .hungDisk)
        fixture.hanging.withLock { $0 = [] }
        fixture.disk.signal()
        await fixture.close()
    }
}
