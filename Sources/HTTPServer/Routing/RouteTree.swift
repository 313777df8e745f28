import Encodings
import HTTPTypes

/// A tree of route patterns by segment. Looking up a path needs no allocation.
struct RouteTree<Handler: Sendable>: Sendable {
    enum Found {
        /// `isResource`: whether the path has a representation, that is, a route for GET.
        case found(Handler, PathParameters, pattern: String, isResource: Bool)
        /// The path is known, but only with these methods.
        case otherMethods([HTTPRequest.Method])
        case none
    }

    private struct Route: Sendable {
        var method: HTTPRequest.Method
        var handler: Handler
        var names: [String]
        var pattern: String
    }

    private struct Node: Sendable {
        /// Literal segments, and the nodes they lead to.
        var literals: [(segment: [UInt8], node: Int)] = []
        /// The node that a parameter leads to.
        var parameter: Int?
        var routes: [Route] = []
    }

    private var nodes = [Node()]
    /// The methods of all routes.
    private(set) var methods: Set<HTTPRequest.Method> = []

    /// Traps if the pattern is malformed or already registered, which is a programming error.
    mutating func insert(_ handler: Handler, method: HTTPRequest.Method, pattern: String) {
        precondition(pattern.first == "/", "a pattern begins with /: \(pattern)")
        var node = 0
        var names: [String] = []
        for segment in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if segment.first == "{", segment.last == "}" {
                names.append(String(segment.dropFirst().dropLast()))
                node = nodes[node].parameter ?? addNode { $0.nodes[node].parameter = $1 }
            } else {
                let bytes = Array(segment.utf8)
                node =
                    nodes[node].literals.first { $0.segment == bytes }?.node
                    ?? addNode { $0.nodes[node].literals.append((bytes, $1)) }
            }
        }
        precondition(names.count <= PathParameters.maximumCount, "too many parameters: \(pattern)")
        precondition(!nodes[node].routes.contains { $0.method == method }, "routed twice: \(method) \(pattern)")
        methods.insert(method)
        nodes[node].routes.append(Route(method: method, handler: handler, names: names, pattern: pattern))
    }

    private mutating func addNode(link: (inout Self, Int) -> Void) -> Int {
        nodes.append(Node())
        link(&self, nodes.count - 1)
        return nodes.count - 1
    }

    func find(_ request: Request) -> Found {
        let head = request.head
        guard head.path.count > 0, head.bytes[head.path.lowerBound] == UInt8(ascii: "/") else { return .none }
        var places = SIMD8<UInt32>()
        let node = head.bytes.withUnsafeBufferPointer { bytes in
            find(UnsafeBufferPointer(rebasing: bytes[..<head.path.upperBound]), head.path.lowerBound + 1, 0, 0, &places)
        }
        guard let node else { return .none }
        let routes = nodes[node].routes
        for wanted in [request.method, .get] where wanted == request.method || request.method == .head {
            if let route = routes.first(where: { $0.method == wanted }) {
                return .found(
                    route.handler, PathParameters(names: route.names, bytes: head.bytes, places: places),
                    pattern: route.pattern, isResource: wanted == .get || routes.contains { $0.method == .get })
            }
        }
        return .otherMethods(routes.map(\.method))
    }

    /// Whether a path's segment equals `literal`. An escaped unreserved character equals the plain one (RFC 3986
    /// §6.2.2.2); any other escaped character is different.
    private static func matches(_ segment: UnsafeBufferPointer<UInt8>, _ literal: [UInt8]) -> Bool {
        if segment.count == literal.count { return literal.elementsEqual(segment) }
        guard segment.count > literal.count, segment.count <= 3 * literal.count else { return false }
        var cursor = 0
        for byte in literal {
            guard cursor < segment.count else { return false }
            if segment[cursor] == byte {
                cursor += 1
            } else {
                guard segment[cursor] == UInt8(ascii: "%"), cursor + 2 < segment.count,
                    let high = Hexadecimal.digit(segment[cursor + 1]), let low = Hexadecimal.digit(segment[cursor + 2]),
                    high << 4 | low == byte, ASCII.isUnreserved(byte)
                else { return false }
                cursor += 3
            }
        }
        return cursor == segment.count
    }

    /// The node with routes for the path from `start` on.
    private func find(
        _ path: UnsafeBufferPointer<UInt8>, _ start: Int, _ node: Int, _ parameters: Int,
        _ places: inout SIMD8<UInt32>
    ) -> Int? {
        guard start <= path.count else { return nodes[node].routes.isEmpty ? nil : node }
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let segment = UnsafeBufferPointer(rebasing: path[start..<end])
        for literal in nodes[node].literals where Self.matches(segment, literal.segment) {
            if let found = find(path, end + 1, literal.node, parameters, &places) { return found }
        }
        guard let next = nodes[node].parameter, !segment.isEmpty, parameters < PathParameters.maximumCount else {
            return nil
        }
        places[2 * parameters] = UInt32(start)
        places[2 * parameters + 1] = UInt32(end)
        return find(path, end + 1, next, parameters + 1, &places)
    }
}
