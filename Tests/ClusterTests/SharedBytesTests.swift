import Images
import Loading
import Origins
import Renditions
import TestSupport
import Testing

@testable import Cluster

@Suite struct SharedBytesTests {
    private let version = ContentVersion(rawValue: 77)
    private var name: SharedName {
        SharedName(image: ImageID(rawValue: 1), version: version, rendition: .tile, format: .webp)
    }
    private var tile: RenditionBytes {
        RenditionBytes(
            bytes: Array("RIFF....WEBP and the rest of it".utf8), mediaType: "image/webp", version: version, width: 320,
            height: 200, modified: 1_700_000_000, isIncomplete: true)
    }

    @Test func `a rendition round-trips`() {
        #expect(SharedBytes.tile(SharedBytes.bytes(of: tile), name, version: version) == tile)
    }

    @Test func `truncated data, other versions and pictures that were not requested are rejected`() {
        let whole = SharedBytes.bytes(of: tile)
        for count in 0..<whole.count {
            #expect(SharedBytes.tile(Array(whole.prefix(count)), name, version: version) == nil)
        }
        #expect(SharedBytes.tile(whole + [0], name, version: version) == nil)
        #expect(SharedBytes.tile(whole, name, version: ContentVersion(rawValue: 78)) == nil)
        let small = SharedName(image: name.image, version: version, rendition: .preview, format: .webp)
        #expect(SharedBytes.tile(whole, small, version: version) == nil)
        let plain = SharedName(image: name.image, version: version, rendition: .tile, format: .jpeg)
        #expect(SharedBytes.tile(whole, plain, version: version) == nil)
        let page = RenditionBytes(
            bytes: Array("<script>".utf8), mediaType: "image/webp", version: version, width: 1, height: 1)
        #expect(SharedBytes.tile(SharedBytes.bytes(of: page), name, version: version) == nil)
    }

    @Test func `too many bytes for the dimensions, and impossible dimensions, are rejected`() {
        func read(_ width: Int, _ height: Int, bytes: Int) -> RenditionBytes? {
            let picture = Array("RIFF....WEBP".utf8) + [UInt8](repeating: 7, count: bytes - 12)
            let tile = RenditionBytes(
                bytes: picture, mediaType: "image/webp", version: version, width: width, height: height)
            return SharedBytes.tile(SharedBytes.bytes(of: tile), name, version: version)
        }
        #expect(read(2, 3, bytes: 4 * 2 * 3 + 65_536) != nil)
        #expect(read(2, 3, bytes: 4 * 2 * 3 + 65_537) == nil)
        for side in [0, -1, 65_536, Int.max, Int.min] {
            #expect(read(side, 1, bytes: 100) == nil)
            #expect(read(1, side, bytes: 100) == nil)
        }
    }

    @Test func `the facts about an original round-trip`() {
        var metadata = ImageMetadata()
        metadata.width = 4_000
        metadata.height = 3_000
        metadata.mediaType = "image/jpeg"
        metadata.placeholder = [1, 2, 3]
        let original = SharedOriginal(
            version: version, validators: Validators(entityTag: "\"a\"", lastModified: nil), length: 12,
            freshUntil: 1_800_000_000, mustRevalidate: true, metadata: metadata)
        let read = SharedBytes.original(
            SharedBytes.bytes(of: original), metadata: SharedBytes.bytes(of: metadata), version: version,
            freshUntil: 1_800_000_000)
        #expect(read == original)
    }

    @Test func `arbitrary bytes never crash the decoder`() {
        var random = SeededRandom(seed: 3)
        let good = SharedBytes.bytes(of: tile)
        for _ in 0..<20_000 {
            var bytes = random.number(below: 2) == 0 ? good : (0..<random.number(below: 60)).map { _ in 0 }
            for index in bytes.indices where random.number(below: 6) == 0 {
                bytes[index] = UInt8(random.number(below: 256))
            }
            _ = SharedBytes.tile(bytes, name, version: version)
            _ = SharedBytes.original(bytes, metadata: bytes, version: version, freshUntil: 0)
        }
    }
}
