import Glibc

/// Decides which renditions are worth sending before others on a slow link.
extension StreamPlan {
    /// If all pictures on screen take longer than this at full size, in seconds, tiles are sent first.
    private static let maximumBlankTime = 1.0

    /// Whether the slots on screen need so much beyond tiles that tiles are worth sending first on this link.
    func needsTilesFirst(_ window: ServiceWindow) -> Bool {
        let tiles = window.reported.reduce(0.0) { sum, slot in
            sum + (displays[slot]?.needs.fine?.tilesOfPixels ?? 0)
        }
        // This is also the case while the rate of the link is not known.
        return tiles > 0 && (link.rate.map { tiles * fineBytes > $0 * Self.maximumBlankTime } ?? true)
    }

    /// In bytes a second. At this rate the thumbnails of cameras for a whole screen, 4 to 10 KB each, take about a
    /// tenth of a second.
    private static let wideLink = 2e6

    /// Whether the bytes of previews do not matter on this link. Until the stream has measured its rate, that at which
    /// the page itself arrived counts.
    var isLinkWide: Bool {
        guard viewport?.savesData != true else { return false }
        let rate = link.rate ?? 0
        return (link.isRateKnown ? rate : max(rate, viewport?.rate ?? 0)) >= Self.wideLink
    }

    /// How long a glance rests, in seconds. A preview that is replaced sooner is not seen (Rayner, "Eye movements in
    /// reading and information processing", 1998: about 330 ms when looking at scenes).
    private static let fixationTime = 0.35
    /// The bytes that a connection may have in flight at first and after a rest (RFC 6928, RFC 5681 section 4.1).
    private static let initialWindow = 14_480.0

    /// Whether everything that these slots still need in this role arrives within one glance, even on a connection in
    /// slow start.
    func arrivesPromptly(_ slots: Range<Int>, _ role: RenditionRole) -> Bool {
        guard link.isRateKnown, let rate = link.rate, let roundTrip = link.roundTrip else { return false }
        let bytes = slots.reduce(Double(link.inFlight)) { sum, slot in
            guard let display = displays[slot], display[role] != .done else { return sum }
            let tiles = display.rendition(of: role)?.tilesOfPixels ?? 0
            return sum + (tiles > 1 ? tiles * fineBytes : tileBytes)
        }
        let rounds = log2(1 + bytes / Self.initialWindow)
        return max(bytes / rate, rounds * roundTrip) <= Self.fixationTime
    }
}
