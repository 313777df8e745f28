import ArgumentParser

/// A number of bytes as people write it: `512MB`, `2GiB`, `65536`. Distinguishes decimal from binary units.
struct ByteCount: ExpressibleByArgument, CustomStringConvertible {
    let bytes: Int

    /// Nil unless `argument` is a non-negative whole number with a known unit that fits into an `Int`.
    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let factor = Self.units[argument.dropFirst(digits.count).lowercased()] else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        bytes = product
    }

    private static let units = [
        "": 1, "b": 1,
        "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000,
        "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
    ]

    var description: String { "\(bytes)" }
}
