/// What a request contains.
extension FetchJob {
    /// Whether the prefix of the body is still incomplete.
    var isPrefixIncomplete: Bool { resumption?.delivered ?? 0 < request.prefixLength ?? 0 }

    /// Whether the body stopped anywhere other than at the end of its prefix.
    var isAfterInterruption: Bool { resumption?.delivered != request.prefixLength.map(Int64.init) }

    /// Adds the operator's header fields that are meant for the current origin, and the cookies of this chain.
    func addHeaders(to fields: inout [String]) {
        let headers = OriginHeader.fields(engine.configuration.headers, to: origin, listed: start.origin)
        fields.removeAll { field in headers.contains { $0.isNamed(String(field.prefix { $0 != ":" })) } }
        fields += headers.filter { !$0.isNamed("Cookie") }.map(\.line)
        let cookies = headers.filter { $0.isNamed("Cookie") }.map(\.value) + [redirects.cookies].compactMap(\.self)
        if !cookies.isEmpty { fields.append("Cookie: \(cookies.joined(separator: "; "))") }
    }
}
