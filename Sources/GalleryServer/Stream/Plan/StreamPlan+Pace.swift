import Glibc

/// Which renditions are worth sending before others, on a link that takes so long for them.
extension StreamPlan {
    /// Seconds for all that is on screen at its full size, beyond which it is worth being shown smaller before.
    private static let longestUnshown = 1.0

    /// Whether what the slots on screen need beyond tiles takes so long on this link that tiles are worth sending before it.
    func needsTilesFirst(_ window: ServiceWindow) -> Bool {
        let tiles = window.reported.reduce(0.0) { sum, slot in
            sum + (showings[slot]?.needs.fine?.tilesOfPixels ?? 0)
        }
        // On a link of which nothing is known yet, too.
        return tiles > 0 && (link.rate.map { tiles * fineBytes > $0 * Self.longestUnshown } ?? true)
    }

    /// How long a glance rests, in seconds: a preview that is replaced sooner is not seen (Rayner, "Eye movements in reading
    /// and information processing", 1998: some 330 ms where scenes are looked at).
    private static let glance = 0.35
    /// Bytes that a connection has on its way at first, and after a rest (RFC 6928, RFC 5681 section 4.1).
    private static let initialWindow = 14_480.0

    /// Whether all that these slots still need of a grade comes within one glance, even over a connection that begins slowly.
    func comesPromptly(_ slots: Range<Int>, _ grade: Grade) -> Bool {
        guard link.isRateKnown, let rate = link.rate, let roundTrip = link.roundTrip else { return false }
        let bytes = slots.reduce(Double(link.inFlight)) { sum, slot in
            guard let showing = showings[slot], showing[grade] != .done else { return sum }
            let tiles = showing.rendition(of: grade)?.tilesOfPixels ?? 0
            return sum + (tiles > 1 ? tiles * fineBytes : tileBytes)
        }
        let rounds = log2(1 + bytes / Self.initialWindow)
        return max(bytes / rate, rounds * roundTrip) <= Self.glance
    }
}
