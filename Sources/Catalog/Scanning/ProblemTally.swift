extension CatalogState.Problems {
    /// Counts a problem, and stores it in full while there is room.
    mutating func add(_ problem: CatalogState.Problem) {
        count += 1
        if first.count < Self.namedAtMost { first.append(problem) }
    }

    /// Combines several tallies.
    init(_ tallies: [Self]) {
        count = tallies.reduce(0) { $0 + $1.count }
        first = tallies.flatMap(\.first)
    }
}
