/// The cyclic redundancy check of PNG (third edition, annex D).
package struct CRC32 {
    private var state: UInt32 = 0xffff_ffff

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    }

    package init() {}

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
    }

    package var value: UInt32 { ~state }
}
