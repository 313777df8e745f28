/// What each of several has been given lately, for telling who has had less than the rest: least attained service (Nuyens and Wierman, "The foreground-background queue: a survey", 2008), by which those
/// who want little now and then are served soon beside those who want all there is.
///
/// What was given counts less the more has been given since, by half for each ``halfLife``.
struct AttainedService<Party: Hashable & Sendable>: Sendable {
    /// In turns of all.
    private static var halfLife: Double { 512 }
    /// What a turn counts that nobody else wanted.
    private static var weightAlone: Double { 0.25 }
    /// Those who want nothing now and are remembered all the same; beyond, who had the least is forgotten.
    private static var remembered: Int { 1_024 }

    private var attained: [Party: Double] = [:]
    private var present: Set<Party> = []
    /// Of all who are present together.
    private var sum = 0.0
    /// What a turn counts now: instead of the old losing weight, the new gain it.
    private var weight = 1.0

    var rememberedCount: Int { attained.count }

    /// Wants something from now on. Does nothing for one that does already.
    mutating func enter(_ party: Party) {
        guard present.insert(party).inserted else { return }
        sum += attained[party] ?? 0
    }

    /// Wants nothing more for now.
    mutating func leave(_ party: Party) {
        guard present.remove(party) != nil else { return }
        sum -= attained[party] ?? 0
        if attained.count > 2 * Self.remembered { forget() }
    }

    /// Has had a turn. To whoever is alone everything may be given: that counts little.
    mutating func serve(_ party: Party) {
        guard present.contains(party) else { return }
        let amount = present.count > 1 ? weight : weight * Self.weightAlone
        attained[party, default: 0] += amount
        sum += amount
        weight *= 1 + 0.693 / Self.halfLife
        if weight > 1e12 { rescale() }
    }

    /// Whether it has had less than all who want something now, with it, have had on average.
    func hasHadLess(_ party: Party) -> Bool {
        let own = attained[party] ?? 0
        let isPresent = present.contains(party)
        let mean = (isPresent ? sum : sum + own) / Double(isPresent ? present.count : present.count + 1)
        // Half a turn is no difference, and rounding none at all.
        return own + weight / 2 < mean
    }

    private mutating func rescale() {
        attained = attained.mapValues { $0 / weight }.filter { $0.value > 1e-6 }
        weight = 1
        sum = present.reduce(0) { $0 + (attained[$1] ?? 0) }
    }

    private mutating func forget() {
        let absent = attained.filter { !present.contains($0.key) }
        let least = absent.sorted { $0.value < $1.value }.dropLast(Self.remembered)
        for (party, _) in least { attained[party] = nil }
    }
}
