/// How much of something each of many holds, so that each can be held to a bound. Whoever holds nothing is not in it.
public struct Tally<Holder: Hashable & Sendable>: Sendable {
    private var amounts: [Holder: Int] = [:]

    public init() {}

    /// Those who hold something.
    public var holderCount: Int { amounts.count }

    public subscript(_ holder: Holder) -> Int { amounts[holder] ?? 0 }

    /// Counts `amount` more for `holder`, if that makes no more than `bound`.
    ///
    /// - Returns: Whether it was counted.
    public mutating func take(_ amount: Int = 1, for holder: Holder, upTo bound: Int) -> Bool {
        let (sum, overflows) = self[holder].addingReportingOverflow(amount)
        guard !overflows, sum <= bound else { return false }
        amounts[holder] = sum == 0 ? nil : sum
        return true
    }

    /// Counts `amount` more for `holder`, whatever it holds.
    ///
    /// - Returns: What it holds with that.
    public mutating func take(_ amount: Int = 1, for holder: Holder) -> Int {
        let sum = self[holder] + amount
        amounts[holder] = sum == 0 ? nil : sum
        return sum
    }

    /// Counts what `take` counted back.
    public mutating func giveBack(_ amount: Int = 1, by holder: Holder) {
        let left = self[holder] - amount
        amounts[holder] = left > 0 ? left : nil
    }
}
