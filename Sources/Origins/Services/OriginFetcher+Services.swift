import Addresses
import EventLoops

extension OriginFetcher {
    /// Sends one request to a service that the operator has named. It uses the connections of fetches, and none of their
    /// permits: a slow origin does not delay it.
    ///
    /// Beside public addresses, it may be in a local network, and not where metadata services are.
    ///
    /// - Parameters:
    ///   - timeout: For everything, from the connection to the end of the response.
    ///   - longestAnswer: In bytes.
    public func send(
        _ request: ServiceRequest, timeout: Duration, longestAnswer: Int
    ) async throws(ServiceUnreachable) -> ServiceResponse {
        let limits = ServiceTransfer.Limits(timeout: timeout, longestAnswer: longestAnswer) { [engine] address in
            engine.filter.permits(address) || AddressFilter.isOfOwnNetwork(address)
        }
        let result: Result<ServiceResponse, ServiceUnreachable> = await withCheckedContinuation { continuation in
            engine.loop.execute { [engine] in
                let transfer = ServiceTransfer(engine.driver, engine.loop, limits) {
                    continuation.resume(returning: $0)
                }
                transfer.send(request, certificateAuthorities: engine.configuration.certificateAuthorities)
            }
        }
        return try result.get()
    }
}
