import Glibc
import HTTPDates

/// What an answer's head means for the fetch.
extension FetchJob {
    /// Sets the settlement unless the body is what the caller wants.
    func judge(_ head: ResponseHead) -> BodyUse {
        switch head.status {
        case 200, 203: return takeWhole(head)
        case 206: return takeRest(head)
        case 304 where isConditional:
            settlement = .notModified(originHead(head, revalidated: true))
        case 416 where isRanged:
            settlement = .startOver
        case let status where RedirectTrail.isRedirect(status):
            settlement = .redirect(to: head.location)
        case let status:
            settlement = .failed(
                OriginError(
                    .status(status), logDetail: "status \(status): \(trail.current.text)",
                    retryAfter: head.retryAfter.flatMap(retryAfter)))
        }
        return .discard
    }

    private func takeWhole(_ head: ResponseHead) -> BodyUse {
        // It was asked for as it is (RFC 9110 §12.5.3); a picture in a coding would be bytes of something else.
        if let coding = head.contentEncoding, ["gzip", "x-gzip", "deflate", "compress", "br", "zstd"].contains(coding) {
            settlement = .failed(OriginError(.malformed, logDetail: "content coding \(coding): \(trail.current.text)"))
            return .giveUp
        }
        guard head.contentLength ?? 0 <= engine.configuration.maximumBytes else {
            let detail = "\(head.contentLength ?? 0) bytes declared: \(trail.current.text)"
            settlement = .failed(OriginError(.tooLarge, logDetail: detail))
            return .giveUp
        }
        resumption = Resumption(head)
        hasStarted = true
        emit(.started(originHead(head, revalidated: false)))
        return .deliver
    }

    private func takeRest(_ head: ResponseHead) -> BodyUse {
        guard isRanged else {
            settlement = .failed(OriginError(.malformed, logDetail: "a part without asking: \(trail.current.text)"))
            return .giveUp
        }
        guard resumption?.continues(with: head) == true else {
            settlement = .startOver
            return .giveUp
        }
        return .deliver
    }

    private func originHead(_ head: ResponseHead, revalidated: Bool) -> OriginHead {
        let delay = begun.duration(to: .now).components.seconds
        let freshness = Freshness(
            of: head, now: Int64(time(nil)), delay: delay,
            heuristic: engine.configuration.heuristicFreshness)
        let known = revalidated ? request.revalidate : nil
        return OriginHead(
            url: trail.current.text,
            validators: Validators(
                entityTag: head.entityTag ?? known?.entityTag, lastModified: head.lastModified ?? known?.lastModified),
            freshFor: freshness.freshFor, mayStore: freshness.mayStore, mustRevalidate: freshness.mustRevalidate,
            declaredLength: revalidated ? nil : head.contentLength, claimedType: head.contentType)
    }

    /// Seconds or a date (RFC 9110 §10.2.3).
    private func retryAfter(_ field: String) -> Duration? {
        if let seconds = DeltaSeconds.parse(field) { return .seconds(seconds) }
        return HTTPDate(field).map { .seconds(max(0, $0.seconds - Int64(time(nil)))) }
    }
}
