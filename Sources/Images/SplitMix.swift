/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), which maps
/// similar values to dissimilar ones. It is invertible, and not cryptographic.
package enum SplitMix {
    @inlinable
    package static func mixed(_ number: UInt64) -> UInt64 {
        var value = number
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// Mixes another word into a state.
    @inlinable
    package static func mixed(_ state: UInt64, with word: UInt64) -> UInt64 {
        mixed((state ^ word) &+ 0x9e37_79b9_7f4a_7c15)
    }

    /// The initial state.
    package static let start: UInt64 = 0x9e37_79b9_7f4a_7c15
}
