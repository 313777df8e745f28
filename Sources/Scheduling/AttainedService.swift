/// The service that each party has recently received, which tells who has had less than the others. With least
/// attained service (Nuyens and Wierman, "The foreground-background queue: a survey", 2008), parties with small,
/// occasional requests are served soon even beside parties with unlimited demand.
///
/// Past service decays: it loses half its weight every ``halfLife`` starts.
struct AttainedService<Party: Hashable & Sendable>: Sendable {
    /// In starts of all parties together.
    private static var halfLife: Double { 512 }
    /// The weight of a start that no other party competed for.
    private static var soleWeight: Double { 0.25 }
    /// The number of absent parties to remember; beyond it, those with the least service are forgotten.
    private static var remembered: Int { 1_024 }

    private var attained: [Party: Double] = [:]
    private var present: Set<Party> = []
    /// The service of all parties that are present.
    private var sum = 0.0
    /// The weight of a start now. Instead of reducing old service, new service grows.
    private var weight = 1.0

    var rememberedCount: Int { attained.count }

    /// Marks a party as having work. A no-op if it already had some.
    mutating func enter(_ party: Party) {
        guard present.insert(party).inserted else { return }
        sum += attained[party] ?? 0
    }

    /// Marks a party as having no work for now.
    mutating func leave(_ party: Party) {
        guard present.remove(party) != nil else { return }
        sum -= attained[party] ?? 0
        if attained.count > 2 * Self.remembered { forget() }
    }

    /// Records a start. A start without competition counts little, since it cost nobody anything.
    mutating func serve(_ party: Party) {
        guard present.contains(party) else { return }
        let amount = present.count > 1 ? weight : weight * Self.soleWeight
        attained[party, default: 0] += amount
        sum += amount
        weight *= 1 + 0.693 / Self.halfLife
        if weight > 1e12 { rescale() }
    }

    /// Whether the party has had less than the average of all parties with work, itself included.
    func isUnderserved(_ party: Party) -> Bool {
        let own = attained[party] ?? 0
        let isPresent = present.contains(party)
        let mean = (isPresent ? sum : sum + own) / Double(isPresent ? present.count : present.count + 1)
        // A difference of half a start or less, such as from rounding, does not count.
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
