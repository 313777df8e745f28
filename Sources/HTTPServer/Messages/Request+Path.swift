extension Request {
    /// The same request without the first bytes of its path. Traps unless a slash follows them.
    public func droppingPathPrefix(_ count: Int) -> Request {
        var request = self
        let start = head.path.lowerBound + count
        precondition(start < head.path.upperBound && head.bytes[start] == UInt8(ascii: "/"))
        request.head.path = start..<head.path.upperBound
        return request
    }

    /// The same request for another path, without a query.
    public func withPath(_ path: String) -> Request {
        var request = self
        let start = head.bytes.count
        request.head.bytes += path.utf8
        request.head.path = start..<request.head.bytes.count
        request.head.query = nil
        return request
    }
}
