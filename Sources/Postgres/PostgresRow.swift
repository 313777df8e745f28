/// One row of a result, in PostgreSQL's binary format. A value of another type than requested reads as nil and never
/// traps.
public struct PostgresRow: Hashable, Sendable {
    private var bytes: [UInt8] = []
    /// The end offset of each value; -1 for null.
    private var ends: [Int] = []

    /// - Parameter columns: The values in order, nil for null.
    public init(_ columns: some Collection<UnsafeRawBufferPointer?>) {
        bytes.reserveCapacity(columns.reduce(0) { $0 + ($1?.count ?? 0) })
        ends.reserveCapacity(columns.count)
        for column in columns {
            if let column { bytes.append(contentsOf: column) }
            ends.append(column == nil ? -1 : bytes.count)
        }
    }

    /// The size in memory, in bytes.
    public var size: Int { bytes.count + ends.count * MemoryLayout<Int>.size }

    /// `smallint`, `integer`, `bigint`.
    public func integer(_ column: Int) -> Int64? {
        guard let value = value(column) else { return nil }
        return switch value.count {
        case 2: Int64(Int16(truncatingIfNeeded: whole(value)))
        case 4: Int64(Int32(truncatingIfNeeded: whole(value)))
        case 8: Int64(truncatingIfNeeded: whole(value))
        default: nil
        }
    }

    public func count(_ column: Int) -> Int? { integer(column).map { Int($0) } }

    /// `boolean`.
    public func flag(_ column: Int) -> Bool? {
        guard let value = value(column), value.count == 1 else { return nil }
        return value.first != 0
    }

    /// `double precision`.
    public func number(_ column: Int) -> Double? {
        guard let value = value(column), value.count == 8 else { return nil }
        return Double(bitPattern: whole(value))
    }

    /// `text`; invalid UTF-8 is replaced.
    public func text(_ column: Int) -> String? { value(column).map { String(decoding: $0, as: UTF8.self) } }

    /// `bytea`.
    public func bytes(_ column: Int) -> [UInt8]? { value(column).map(Array.init) }

    private func value(_ column: Int) -> ArraySlice<UInt8>? {
        guard ends.indices.contains(column), ends[column] >= 0 else { return nil }
        let start = ends[..<column].last { $0 >= 0 } ?? 0
        return bytes[start..<ends[column]]
    }

    private func whole(_ value: ArraySlice<UInt8>) -> UInt64 { value.reduce(0) { $0 << 8 | UInt64($1) } }
}
