import HTTPTypes
import Tracing

/// A span of each request, from its head to the head of its answer (OpenTelemetry, "Semantic conventions for HTTP spans").
/// Of the query, of addresses and of names of programs it says nothing: those are the clients'.
struct RequestTracing {
    let tracer: any Tracer

    /// Answers within the request's span: what is begun for the answer belongs to it.
    ///
    /// - Parameter pattern: Of the route; nil where there is none.
    func trace(_ request: Request, pattern: String?, reply: Reply, _ respond: (Reply) -> Void) {
        var context = ServiceContext.topLevel
        // A stranger could have each of its requests recorded, and put others' off.
        if request.isFromProxy { tracer.extract(request.headers, into: &context, using: FieldExtractor()) }
        let method = Self.known.contains(request.method) ? request.method.rawValue : "HTTP"
        let span = tracer.startSpan(pattern.map { "\(method) \($0)" } ?? method, context: context, ofKind: .server)
        let traced =
            span.isRecording ? reply.relaying { [reply] in end(span, with: $0, isAbandoned: reply.isAbandoned) } : reply
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
        // What a client that has gone would have been told is no failure of the server's.
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

    /// Characters. What a client makes longer is cut, for it waits in memory.
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
    /// Whether it says that it belongs to a trace that is recorded (W3C Trace Context §3.2).
    var bearsTraceContext: Bool {
        let name = "traceparent"
        var bears = false
        forEachField { field, value in
            guard field.count == name.utf8.count, value.count >= 55, let flags = ASCII.hexDigit(value[54]) else {
                return
            }
            bears = bears || flags & 1 == 1 && zip(field, name.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
        return bears
    }
}
