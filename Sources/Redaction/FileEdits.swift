/// Replacements of bytes in a file. Its length, and the positions of all other bytes, stay the same.
public struct FileEdits: Hashable, Sendable {
    struct Edit: Hashable, Sendable {
        /// The position in the file, and the number of bytes.
        let range: Range<Int64>
        /// The first bytes of the replacement. Zeros follow.
        let bytes: [UInt8]
    }

    /// Sorted and without overlaps.
    let edits: [Edit]

    /// - Throws: ``RedactionError/malformed`` if any of the edits overlap: the parts of such a file contradict each other.
    init(_ edits: [Edit]) throws(RedactionError) {
        self.edits = edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
        for (edit, next) in zip(self.edits, self.edits.dropFirst()) where edit.range.upperBound > next.range.lowerBound
        {
            throw .malformed
        }
    }

    public var isEmpty: Bool { edits.isEmpty }

    /// How many bytes all replacements have, without the zeros after them.
    public var replacementLength: Int { edits.reduce(0) { $0 + $1.bytes.count } }

    /// Applies the edits to a part of the file.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - position: Where it begins in the file.
    public func apply(to bytes: inout [UInt8], at position: Int64) {
        let part = position..<position + Int64(bytes.count)
        for edit in edits[firstEdit(endingAfter: position)...] {
            guard edit.range.lowerBound < part.upperBound else { return }
            for target in edit.range.clamped(to: part) {
                let offset = Int(target - edit.range.lowerBound)
                bytes[Int(target - position)] = offset < edit.bytes.count ? edit.bytes[offset] : 0
            }
        }
    }

    private func firstEdit(endingAfter position: Int64) -> Int {
        var (low, high) = (0, edits.count)
        while low < high {
            let middle = (low + high) / 2
            if edits[middle].range.upperBound > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
