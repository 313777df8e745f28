import Loading

/// The loads in progress for a stream. The plan holds their handles, and its owner cancels those that the plan gives
/// up.
extension StreamPlan {
    /// Identifies a load among all loads of the plan, because a piece may be loaded again after its load was given up.
    struct LoadNumber: Hashable, Sendable {
        fileprivate let value: UInt64
    }

    /// A load in progress. No other table holds its handle.
    struct Load: Sendable {
        let number: LoadNumber
        let handle: any LoadHandle
        /// The load is for a slot ahead of the viewport.
        var isAhead: Bool
    }

    /// The number for the next load.
    mutating func newLoad() -> LoadNumber {
        loadsBegun += 1
        return LoadNumber(value: loadsBegun)
    }

    /// Records that a piece is being loaded.
    mutating func load(_ piece: Piece, as number: LoadNumber, by handle: any LoadHandle, isAhead: Bool) {
        leave(piece)
        loads[piece] = Load(number: number, handle: handle, isAhead: isAhead)
        guard let stage = displays[piece.slot]?[piece.rendition], stage == .wanted || stage == .missed else {
            return leave(piece)
        }
        displays[piece.slot]?[piece.rendition] = .loading
    }

    /// Gives up the load of a piece, which may be loaded again later.
    mutating func abandon(_ piece: Piece) {
        leave(piece)
        if displays[piece.slot]?[piece.rendition] == .loading { displays[piece.slot]?[piece.rendition] = .wanted }
    }

    /// Gives up the load of a piece, if there is one. Cancelling a load that has ended is a no-op.
    mutating func leave(_ piece: Piece) {
        if let load = loads.removeValue(forKey: piece) { unwantedLoads.append(load.handle) }
    }

    /// Takes the loads that the owner has to cancel.
    mutating func takeUnwantedLoads() -> [any LoadHandle] {
        defer { unwantedLoads = [] }
        return unwantedLoads
    }
}
