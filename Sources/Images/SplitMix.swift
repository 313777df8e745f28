/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), by which near
/// values become far ones. It can be undone, and hides nothing.
package enum SplitMix {
    @inlinable
    package static func mixed(_ number: UInt64) -> UInt64 {
        var value = number
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// Takes one word more into a state.
    @inlinable
    package static func mixed(_ state: UInt64, with word: UInt64) -> UInt64 {
        mixed((state ^ word) &+ 0x9e37_79b9_7f4a_7c15)
    }

    /// What states begin with.
    package static let start: UInt64 = 0x9e37_79b9_7f4a_7c15
}
