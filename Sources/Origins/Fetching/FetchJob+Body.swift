/// How many bytes of an object store's error response are kept.
private let longestRefusal = 16 << 10

/// Passes on the body of a response, decoded if it is compressed.
extension FetchJob {
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        guard !ticket.isCancelled else { return .giveUp }
        if let collected = refusal?.body.count {
            refusal?.body += bytes.prefix(longestRefusal - collected)
            return collected + bytes.count < longestRefusal ? .next : .giveUp
        }
        guard !ticket.isPaused else { return .pause }
        if let decoder { return decode(bytes, decoder) }
        received(bytes.count)
        return deliver(bytes) ? .next : .giveUp
    }

    private func received(_ count: Int) {
        timeouts.tick(count)
        engine.count { $0.bytes += Int64(count) }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, _ decoder: ContentDecoder) -> BodyStep {
        let before = decoder.encodedCount
        defer { received(decoder.encodedCount - before) }
        var isDelivered = true
        do throws(ContentDecoder.Fault) {
            let isDone = try decoder.decode(bytes) { piece in
                isDelivered = deliver(piece)
                return isDelivered && !ticket.isPaused && !ticket.isCancelled
            }
            guard isDelivered, !ticket.isCancelled else { return .giveUp }
            // Even if it decodes to nothing.
            guard Int64(decoder.encodedCount) <= engine.configuration.maximumBytes else { return tooLarge() }
            return isDone ? .next : .pause
        } catch {
            let what = error == .tooDense ? "a compressed body that is too dense" : "an invalid compressed body"
            settlement = .failed(
                OriginError(
                    error == .tooDense ? .tooLarge : .malformed,
                    publicMessage: error == .tooDense ? nil : "The remote server sent it compressed, but damaged.",
                    logDetail: "\(what): \(redirects.current.loggable)"))
            return .giveUp
        }
    }

    private func tooLarge() -> BodyStep {
        let detail = "more bytes than allowed: \(redirects.current.loggable)"
        settlement = .failed(OriginError(.tooLarge, logDetail: detail))
        return .giveUp
    }

    /// Passes bytes of the picture on.
    ///
    /// - Returns: False if there are too many.
    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let delivered = resumption?.delivered, Int64(bytes.count) <= engine.configuration.maximumBytes - delivered
        else {
            _ = tooLarge()
            return false
        }
        resumption?.deliver(bytes.count)
        emit(.bytes([UInt8](bytes)))
        return true
    }
}
