import Encodings

/// The values of a route pattern's `{…}` parameters in a request's path.
public struct PathParameters: Sendable {
    /// The most parameters in one pattern: their positions are stored without an allocation.
    static let maximumCount = 4

    var names: [String] = []
    /// The head that contains the values.
    var bytes: [UInt8] = []
    /// Start and end of each value, in pairs.
    var places = SIMD8<UInt32>()

    init() {}

    init(names: [String], bytes: [UInt8], places: SIMD8<UInt32>) {
        self.names = names
        self.bytes = bytes
        self.places = places
    }

    /// The percent-decoded value of a parameter; nil if the pattern has no such name, or if the value is not valid
    /// percent-encoded UTF-8.
    public subscript(name: String) -> String? {
        guard let index = names.firstIndex(of: name) else { return nil }
        return PercentEncoding.decode(bytes[Int(places[2 * index])..<Int(places[2 * index + 1])])
    }
}
