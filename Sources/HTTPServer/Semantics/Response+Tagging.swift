import HTTPTypes

extension Response {
    /// Treats the generated response to a GET or HEAD request as a representation: compresses it as
    /// ``compressed(for:)`` does, adds an entity tag computed from its bytes, and evaluates the request's conditions,
    /// which can turn it into a 304 or 412 (RFC 9110 §13). Applies to a 200 with a body in memory; any other response
    /// stays as it is.
    ///
    /// It saves sending the bytes, not generating them. Takes about 0.2 to 0.8 ms for 40 to 130 KB, so don't call it
    /// on a loop.
    public func tagged(for request: Request) -> Response {
        guard status == .ok, prepared == nil, headers[.eTag] == nil, case .bytes(let bytes) = body else { return self }
        var response = compressed(for: request)
        let tag = EntityTag(digestOf: bytes, coding: response.headers[.contentEncoding])
        response.headers[.eTag] = tag.description
        switch ConditionalRequest(request).evaluate(entityTag: tag, lastModified: nil) {
        case .proceed: return response
        case .notModified:
            response.headers[.contentType] = nil
            response.headers[.contentEncoding] = nil
            return Response(status: .notModified, headers: response.headers)
        case .preconditionFailed: return Problem(.preconditionFailed).response
        }
    }
}
