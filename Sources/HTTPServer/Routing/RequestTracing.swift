import Encodings
import HTTPTypes
import Tracing

/// Records a span for each request, from its head to the head of its response (OpenTelemetry, "Semantic conventions
/// for HTTP spans"). Omits the query, addresses and user agents, which are the clients' private data.
struct RequestTracing {
    let tracer: any Tracer

    /// Responds within the request's span, so that spans started for the response become its children.
    ///
    /// - Parameter pattern: The route's pattern; nil if there is none.
    func trace(_ request: Request, pattern: String?, reply: Reply, _ respond: (Reply) -> Void) {
        var context = ServiceContext.topLevel
        // Only a proxy's trace context is used: a stranger could make the server record each of its requests, and
        // displace others'.
        if request.isFromProxy { tracer.extract(request.headers, into: &context, using: FieldExtractor()) }
        let method = Self.known.contains(request.method) ? request.method.rawValue : "HTTP"
        let span = tracer.startSpan(pattern.map { "\(method) \($0)" } ?? method, context: context, ofKind: .server)
        let traced =
            span.isRecording
            ? reply.transforming { [reply] in end(span, with: $0, isAbandoned: reply.isAbandoned) } : reply
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method == "HTTP" ? "_OTHER" : method
                attributes["http.route"] = pattern
                attributes["url.path"] = String(request.path.prefix(Self.longestPath))
                attributes["url.scheme"] = "http"
            }
        }
        ServiceContext.withValue(span.context) { respond(traced) }
    }

    private func end(_ span: any Span, with response: Response, isAbandoned: Bool) -> Response {
        // A response that the disconnected client would have got isn't a failure of the server.
        guard !isAbandoned else {
            span.attributes["tessera.abandoned"] = true
            span.end()
            return response
        }
        let code = response.status.code
        span.updateAttributes { attributes in
            attributes["http.response.status_code"] = code
            if code >= 500 { attributes["error.type"] = "\(code)" }
        }
        if code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
        return response
    }

    /// In characters. Longer paths are truncated, since spans wait in memory.
    private static let longestPath = 1_024

    private static let known: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
    ]
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from headers: RequestHeaders) -> String? {
        HTTPField.Name(key).flatMap { headers[$0] }
    }
}

extension PlainRequest {
    /// Whether it carries the context of a recorded trace (W3C Trace Context §3.2).
    var bearsTraceContext: Bool {
        let name = "traceparent"
        var bears = false
        forEachField { field, value in
            guard field.count == name.utf8.count, value.count >= 55, let flags = Hexadecimal.digit(value[54]) else {
                return
            }
            bears = bears || flags & 1 == 1 && zip(field, name.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
        return bears
    }
}
