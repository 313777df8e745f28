/// A JPEG with all that its structure needs, and a scan that no decoder would accept.
public struct SmallJPEG {
    private let width: UInt16
    private let height: UInt16
    private let frame: UInt8
    private let components: UInt8
    private let scan: [UInt8]

    public init(
        width: UInt16, height: UInt16, frame: UInt8 = 0xc0, components: UInt8 = 3,
        scan: [UInt8] = [0x11, 0xff, 0x00, 0x22]
    ) {
        self.width = width
        self.height = height
        self.frame = frame
        self.components = components
        self.scan = scan
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 5, 0, 1, 2, 0xff, 0xc4, 0, 4, 3, 4]
        bytes += [0xff, frame, 0, UInt8(8 + 3 * components), 8] + big(height) + big(width) + [components]
        for component in 1...components { bytes += [component, 0x11, 0] }
        bytes += [0xff, 0xda, 0, UInt8(6 + 2 * components), components]
        for component in 1...components { bytes += [component, 0] }
        return bytes + [0, 63, 0] + scan + [0xff, 0xd9]
    }
}

/// A big-endian number, as in JPEG.
func big(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
