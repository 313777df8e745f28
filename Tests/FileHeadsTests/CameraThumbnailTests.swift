import TestSupport
import Testing

@testable import FileHeads

/// A thumbnail is used only if it shows the whole image, and only what its decoding needs is sent of it.
@Suite struct CameraThumbnailTests {
    private func thumbnail(
        of head: [UInt8], atLeast side: Int = 64, atMost bytes: Int = 16 << 10
    ) -> CameraThumbnail? {
        CameraThumbnail(head: head, atLeast: side, atMost: bytes)
    }

    @Test func `an upright thumbnail is passed on as it is stored`() throws {
        let small = SmallJPEG(width: 160, height: 120).bytes
        let found = try #require(thumbnail(of: CameraJPEG(thumbnail: small).bytes))
        #expect(found.file == small)
        #expect((found.width, found.height) == (160, 120))
    }

    @Test(arguments: 1...8) func `the orientation of the image is passed on`(orientation: UInt8) throws {
        let small = SmallJPEG(width: 160, height: 120).bytes
        let found = try #require(thumbnail(of: CameraJPEG(thumbnail: small, orientation: orientation).bytes))
        #expect((found.width, found.height) == (orientation < 5 ? (160, 120) : (120, 160)))
        var segments = try #require(JPEGSegments(found.file[...]))
        let next = segments.next()
        let first = try #require(next)
        if orientation == 1 {
            #expect(first.marker != 0xe1)
        } else {
            let content = try #require(first.content(in: found.file[...]))
            let directories = try #require(TIFFDirectories(Array(content)))
            let main = try #require(directories.first)
            #expect(directories.orientation(in: main) == Int(orientation) && main.next == 0)
        }
    }

    @Test func `comments, metadata and padding are left out`() throws {
        let small = SmallJPEG(width: 160, height: 120).bytes
        let exif = [0xff, 0xe1, 0, 10] + Array("Exif\0\0xx".utf8) as [UInt8]
        let comment = [0xff, 0xfe, 0, 8] + Array("secret".utf8) as [UInt8]
        let padded = Array(small.prefix(2)) + exif + comment + small.dropFirst(2) + [UInt8](repeating: 0, count: 300)
        #expect(thumbnail(of: CameraJPEG(thumbnail: padded).bytes)?.file == small)
    }

    /// Programs that crop an image often leave the old thumbnail behind, and cameras add bars to fill 4:3.
    @Test func `a thumbnail with another aspect ratio than the image is not used`() {
        let small = SmallJPEG(width: 160, height: 120).bytes
        #expect(thumbnail(of: CameraJPEG(width: 4_000, height: 3_000, thumbnail: small).bytes) != nil)
        #expect(thumbnail(of: CameraJPEG(width: 6_000, height: 4_000, thumbnail: small).bytes) == nil)
        #expect(thumbnail(of: CameraJPEG(width: 3_000, height: 4_000, thumbnail: small).bytes) == nil)
    }

    @Test func `a thumbnail that is too small, too large or not there is not used`() {
        let tiny = SmallJPEG(width: 48, height: 36).bytes
        #expect(thumbnail(of: CameraJPEG(thumbnail: tiny).bytes) == nil)
        // No smaller than the image itself.
        #expect(thumbnail(of: CameraJPEG(width: 48, height: 36, thumbnail: tiny).bytes) != nil)
        let small = SmallJPEG(width: 160, height: 120).bytes
        #expect(thumbnail(of: CameraJPEG(thumbnail: small).bytes, atMost: small.count - 1) == nil)
        #expect(thumbnail(of: CameraJPEG(thumbnail: SmallJPEG(width: 1_600, height: 1_200).bytes).bytes) == nil)
        #expect(thumbnail(of: small) == nil)
        #expect(thumbnail(of: []) == nil)
        #expect(thumbnail(of: Array("\u{89}PNG\r\n".utf8)) == nil)
    }

    @Test func `a thumbnail that needs more than a plain decoder is not used`() {
        for frame in [0xc2, 0xc3, 0xc5, 0xc9] as [UInt8] {
            #expect(
                thumbnail(of: CameraJPEG(thumbnail: SmallJPEG(width: 160, height: 120, frame: frame).bytes).bytes)
                    == nil)
        }
        let inks = SmallJPEG(width: 160, height: 120, components: 4).bytes
        #expect(thumbnail(of: CameraJPEG(thumbnail: inks).bytes) == nil)
        #expect(
            thumbnail(of: CameraJPEG(thumbnail: SmallJPEG(width: 160, height: 120, components: 1).bytes).bytes) != nil)
        let scans = SmallJPEG(width: 160, height: 120, scan: [1, 2, 0xff, 0xda, 3, 4]).bytes
        #expect(thumbnail(of: CameraJPEG(thumbnail: scans).bytes) == nil)
    }

    @Test func `a thumbnail without its tables, or with more than eight bits, is not used`() throws {
        let small = SmallJPEG(width: 160, height: 120).bytes
        for marker in [0xdb, 0xc4] as [UInt8] {
            var without = small
            let place = try #require(without.firstIndex(of: marker))
            without[place] = 0xfe
            #expect(thumbnail(of: CameraJPEG(thumbnail: without).bytes) == nil)
        }
        var deep = small
        let frame = try #require(deep.firstIndex(of: 0xc0))
        deep[frame + 3] = 12
        #expect(thumbnail(of: CameraJPEG(thumbnail: deep).bytes) == nil)
    }

    @Test func `a thumbnail that was cut off is not used, wherever the cut is`() {
        let small = SmallJPEG(width: 160, height: 120).bytes
        for count in 0..<small.count {
            #expect(thumbnail(of: CameraJPEG(thumbnail: Array(small.prefix(count))).bytes) == nil)
        }
    }

    @Test func `a head that ends before the image's own size is not used, wherever it ends`() {
        let head = CameraJPEG(thumbnail: SmallJPEG(width: 160, height: 120).bytes).bytes
        let frame = head.count - CameraJPEG.lengthAfterFrame
        for count in 0..<frame { #expect(thumbnail(of: Array(head.prefix(count))) == nil) }
        #expect(thumbnail(of: Array(head.prefix(frame))) != nil)
    }
}
