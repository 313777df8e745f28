/// Names who may use a route. What the names mean is decided by the router's ``Router/admission``.
public struct AccessRule: Hashable, Sendable {
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}
