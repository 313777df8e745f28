/// SplitMix64 (Steele, Lea, Flood, 2014): equal seeds give equal numbers on every machine.
struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter words: The seed; changing any word changes the whole sequence.
    init(_ words: UInt64...) {
        state = 0x9e37_79b9_7f4a_7c15
        for word in words {
            state ^= word &* 0xd6e8_feb8_6659_fd93
            state = next()
        }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to but not including 1.
    mutating func unit() -> Float { Float(next() >> 40) / Float(1 << 24) }

    mutating func between(_ low: Float, _ high: Float) -> Float { low + (high - low) * unit() }
}
