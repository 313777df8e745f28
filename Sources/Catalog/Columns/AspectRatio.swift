/// Aspect ratios as one byte, so that a million of them take a megabyte: width / height is 2^((byte - 128) / 32), from
/// 1:15.7 to 15.6:1 in steps of 2.2 per cent; 0 means unknown.
public enum AspectRatio {
    /// The ratio assumed for an image of unknown size: most cameras and phones take pictures of 4:3.
    public static let assumed = 4.0 / 3

    private static let table: [Double] = (0...255).map { byte in
        byte == 0 ? assumed : power(of: Double(byte - 128) / 32)
    }

    public static func byte(width: Int, height: Int) -> UInt8 {
        guard width > 0, height > 0 else { return 0 }
        let ratio = Double(width) / Double(height)
        // Binary search for the nearest ratio, by proportion; the table is sorted.
        var low = 1
        var high = 255
        while low < high {
            let middle = (low + high) / 2
            if table[middle] * table[middle + 1] < ratio * ratio { low = middle + 1 } else { high = middle }
        }
        return UInt8(low)
    }

    /// The bytes of 1:2 and 3.2:1.
    private static let ofSlots = UInt8(96)...182

    /// The ratio of an image's slot in rows: the image's own, or the nearest from 1:2 to 3.2:1. A longer panorama would
    /// determine the height of its whole row, and a slot narrower than 1:2 would be too narrow to tap in low rows.
    static func ofSlot(_ byte: UInt8) -> UInt8 {
        byte == 0 ? 0 : min(max(byte, ofSlots.lowerBound), ofSlots.upperBound)
    }

    /// Width / height; `assumed` for 0.
    public static func ratio(_ byte: UInt8) -> Double { table[Int(byte)] }

    /// 2 to the power of `exponent`, for |exponent| <= 4.
    private static func power(of exponent: Double) -> Double {
        // The power series of e^x converges to full precision here, because |x| is below 3.
        let x = exponent * 0.693_147_180_559_945_3
        return (1...40).reversed().reduce(1.0) { 1 + x / Double($1) * $0 }
    }
}
