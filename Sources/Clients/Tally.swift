/// Counts how much of a resource each of many holders has, so that each can be limited. Holders with nothing are not
/// stored.
public struct Tally<Holder: Hashable & Sendable>: Sendable {
    private var amounts: [Holder: Int] = [:]

    public init() {}

    /// The number of holders that have something.
    public var holderCount: Int { amounts.count }

    public subscript(_ holder: Holder) -> Int { amounts[holder] ?? 0 }

    /// Adds `amount` for `holder`, unless the sum would exceed `bound`.
    ///
    /// - Returns: Whether it was added.
    public mutating func take(_ amount: Int = 1, for holder: Holder, upTo bound: Int) -> Bool {
        let (sum, overflows) = self[holder].addingReportingOverflow(amount)
        guard !overflows, sum <= bound else { return false }
        amounts[holder] = sum == 0 ? nil : sum
        return true
    }

    /// Adds `amount` for `holder`, without a limit.
    ///
    /// - Returns: The new sum.
    public mutating func take(_ amount: Int = 1, for holder: Holder) -> Int {
        let sum = self[holder] + amount
        amounts[holder] = sum == 0 ? nil : sum
        return sum
    }

    /// Subtracts what `take` has added.
    public mutating func giveBack(_ amount: Int = 1, by holder: Holder) {
        let left = self[holder] - amount
        amounts[holder] = left > 0 ? left : nil
    }
}
