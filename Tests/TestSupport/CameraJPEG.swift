/// The head of a camera's JPEG, with a thumbnail in its Exif data.
public struct CameraJPEG {
    private let width: UInt16
    private let height: UInt16
    private let thumbnail: [UInt8]
    private let orientation: UInt8

    public init(width: UInt16 = 4_000, height: UInt16 = 3_000, thumbnail: [UInt8], orientation: UInt8 = 1) {
        self.width = width
        self.height = height
        self.thumbnail = thumbnail
        self.orientation = orientation
    }

    /// The bytes that follow the frame header.
    public static let lengthAfterFrame = 4

    public var bytes: [UInt8] {
        // The main directory with the orientation, and another with the position and length of the thumbnail.
        var exif = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1]
        exif += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 26]
        exif += [0, 2, 0x02, 0x01, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56, 0x02, 0x02, 0, 4, 0, 0, 0, 1, 0, 0]
        exif += big(UInt16(thumbnail.count)) + [0, 0, 0, 0] + thumbnail
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe1] + big(UInt16(exif.count + 2)) + exif
        bytes += [0xff, 0xc0, 0, 17, 8] + big(height) + big(width) + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        return bytes + [0xff, 0xda, 0, 12]
    }
}
