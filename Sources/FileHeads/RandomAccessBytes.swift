/// The bytes of a file, at any position.
package protocol RandomAccessBytes {
    /// The bytes at a position; nil unless all of them are available.
    func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>?
}

extension ArraySlice<UInt8>: RandomAccessBytes {
    package func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
        guard position >= 0, count >= 0, position <= Int64(self.count), count <= self.count - Int(position) else {
            return nil
        }
        let start = startIndex + Int(position)
        return self[start..<start + count]
    }
}
