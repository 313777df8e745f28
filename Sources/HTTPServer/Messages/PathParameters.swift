/// What the `{…}` of a route's pattern stand for in a request's path.
public struct PathParameters: Sendable {
    /// At most this many in one pattern: their places are kept without an allocation.
    static let most = 4

    var names: [String] = []
    /// The head that the places are in.
    var bytes: [UInt8] = []
    /// Start and end of each, two by two.
    var places = SIMD8<UInt32>()

    init() {}

    init(names: [String], bytes: [UInt8], places: SIMD8<UInt32>) {
        self.names = names
        self.bytes = bytes
        self.places = places
    }

    /// The percent-decoded value of a parameter; nil if the pattern has no such name, or if what came is not proper
    /// percent-encoding of UTF-8.
    public subscript(name: String) -> String? {
        guard let index = names.firstIndex(of: name) else { return nil }
        return PercentEncoding.decode(bytes[Int(places[2 * index])..<Int(places[2 * index + 1])])
    }
}
