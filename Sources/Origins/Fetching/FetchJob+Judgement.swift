import Glibc

extension ResponseHead {
    /// Whether the origin asks for fewer requests (RFC 6585 §4, RFC 9110 §15.6.4).
    var isThrottling: Bool { status == 429 || status == 503 }
}

/// Interprets the head of a response.
extension FetchJob {
    /// Sets the settlement, unless the body is what the caller wants.
    func judge(_ head: ResponseHead) -> BodyUse {
        if let fault = head.framingFault {
            settlement = .failed(OriginError(.malformed, logDetail: "\(fault): \(redirects.current.loggable)"))
            return .giveUp
        }
        switch head.status {
        case 200...299 where request.upload != nil:
            // The body of a response to an upload does not matter.
            settlement = .finished
        case 200, 203: return takeWhole(head)
        case 206 where requestedPrefix != nil: return takePrefix(head)
        case 206: return takeRest(head)
        case 304 where isConditional:
            settlement = .notModified(originHead(head, revalidated: true))
        case 304 where isRanged, 416 where isRanged:
            settlement = .startOver
        case 416 where requestedPrefix != nil:
            // The body is empty, or the origin does not support such ranges.
            refusesPrefix = true
            settlement = .startOver
        case let status where RedirectChain.isRedirect(status) && !request.isSigned && request.upload == nil:
            settlement = .redirect(to: head.location, setting: head.cookies)
        case let status:
            // A signature is valid for one host, so redirects of signed requests are never followed.
            if request.isSigned { refusal = OriginError.Refusal(region: head.bucketRegion) }
            settlement = .failed(
                OriginError(
                    .status(status), logDetail: "status \(status): \(redirects.current.loggable)",
                    retryAfter: head.retryAfter.flatMap { RetryAfter.wait($0, now: Int64(time(nil))) }))
        }
        return refusal == nil ? .discard : .deliver
    }

    private func takeWhole(_ head: ResponseHead) -> BodyUse {
        // The request asked for identity coding (RFC 9110 §12.5.3), but some origins compress all the same.
        let codings = head.effectiveCodings
        decoder = codings.count == 1 ? ContentDecoder.Coding(codings[0]).map(ContentDecoder.init) : nil
        guard codings.isEmpty || decoder != nil else {
            settlement = .failed(
                OriginError(
                    .malformed,
                    publicMessage: "The remote server sent it compressed in a way that is not supported.",
                    logDetail: "content coding \(codings.joined(separator: ", ")): \(redirects.current.loggable)"))
            return .giveUp
        }
        return start(Resumption(head, isDecoded: decoder != nil), head, length: head.contentLength)
    }

    private func takePrefix(_ head: ResponseHead) -> BodyUse {
        guard let requestedPrefix, let range = head.contentRange.flatMap(ContentRange.init),
            let length = range.complete,
            range.first == 0, range.last == min(length, Int64(requestedPrefix)) - 1, head.effectiveCodings.isEmpty,
            head.contentLength ?? (range.last + 1) == range.last + 1
        else {
            refusesPrefix = true
            settlement = .startOver
            return .giveUp
        }
        decoder = nil
        return start(Resumption(head, length: length), head, length: length)
    }

    /// - Parameter length: The length of the whole representation, if declared.
    private func start(_ resumption: Resumption, _ head: ResponseHead, length: Int64?) -> BodyUse {
        guard length ?? 0 <= engine.configuration.maximumBytes else {
            let detail = "\(length ?? 0) bytes declared: \(redirects.current.loggable)"
            settlement = .failed(OriginError(.tooLarge, logDetail: detail))
            return .giveUp
        }
        self.resumption = resumption
        hasStarted = true
        var started = originHead(head, revalidated: false, length: decoder == nil ? length : nil)
        started.isPrefix = head.status == 206
        emit(.started(started))
        return .deliver
    }

    private func takeRest(_ head: ResponseHead) -> BodyUse {
        guard isRanged else {
            settlement = .failed(
                OriginError(
                    .malformed, logDetail: "partial content without a range request: \(redirects.current.loggable)"))
            return .giveUp
        }
        guard resumption?.continues(with: head) == true else {
            settlement = .startOver
            return .giveUp
        }
        return .deliver
    }

    private func originHead(_ head: ResponseHead, revalidated: Bool, length: Int64? = nil) -> OriginHead {
        let delay = begun.duration(to: .now).components.seconds
        let freshness = Freshness(
            of: head, now: Int64(time(nil)), delay: delay,
            heuristic: engine.configuration.heuristicFreshness)
        let known = revalidated ? request.revalidate : nil
        return OriginHead(
            url: redirects.current.loggable,
            validators: Validators(
                entityTag: head.entityTag ?? known?.entityTag, lastModified: head.lastModified ?? known?.lastModified),
            freshFor: freshness.freshFor, mayStore: freshness.mayStore, mustRevalidate: freshness.mustRevalidate,
            declaredLength: length, claimedType: head.contentType)
    }
}
