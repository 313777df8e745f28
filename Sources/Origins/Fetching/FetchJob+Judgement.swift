import Glibc

extension ResponseHead {
    /// Whether the origin says that it is asked too much (RFC 6585 §4, RFC 9110 §15.6.4).
    var asksForLess: Bool { status == 429 || status == 503 }
}

/// What an answer's head means for the fetch.
extension FetchJob {
    /// Sets the settlement unless the body is what the caller wants.
    func judge(_ head: ResponseHead) -> BodyUse {
        if let fault = head.framingFault {
            settlement = .failed(OriginError(.malformed, logDetail: "\(fault): \(trail.current.loggable)"))
            return .giveUp
        }
        switch head.status {
        case 200...299 where request.upload != nil:
            // What it says of what it has taken is nobody's concern.
            settlement = .finished
        case 200, 203: return takeWhole(head)
        case 206: return takeRest(head)
        case 304 where isConditional:
            settlement = .notModified(originHead(head, revalidated: true))
        case 304 where isRanged, 416 where isRanged:
            settlement = .startOver
        case let status where RedirectTrail.isRedirect(status) && !request.isSigned && request.upload == nil:
            settlement = .redirect(to: head.location)
        case let status:
            // A signature is for one host: a signed request goes nowhere else, whatever the answer says.
            if request.isSigned { refusal = OriginError.Refusal(region: head.bucketRegion) }
            settlement = .failed(
                OriginError(
                    .status(status), logDetail: "status \(status): \(trail.current.loggable)",
                    retryAfter: head.retryAfter.flatMap { RetryAfter.wait($0, now: Int64(time(nil))) }))
        }
        return refusal == nil ? .discard : .deliver
    }

    private func takeWhole(_ head: ResponseHead) -> BodyUse {
        // It was asked for as it is (RFC 9110 §12.5.3); a picture in a coding would be bytes of something else.
        if let coding = head.contentCoding {
            settlement = .failed(
                OriginError(
                    .malformed, publicMessage: "The picture's origin sent it compressed without being asked to.",
                    logDetail: "content coding \(coding): \(trail.current.loggable)"))
            return .giveUp
        }
        guard head.contentLength ?? 0 <= engine.configuration.maximumBytes else {
            let detail = "\(head.contentLength ?? 0) bytes declared: \(trail.current.loggable)"
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
            settlement = .failed(OriginError(.malformed, logDetail: "a part without asking: \(trail.current.loggable)"))
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
            url: trail.current.loggable,
            validators: Validators(
                entityTag: head.entityTag ?? known?.entityTag, lastModified: head.lastModified ?? known?.lastModified),
            freshFor: freshness.freshFor, mayStore: freshness.mayStore, mustRevalidate: freshness.mustRevalidate,
            declaredLength: revalidated ? nil : head.contentLength, claimedType: head.contentType)
    }
}
