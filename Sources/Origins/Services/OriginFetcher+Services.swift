import Addresses
import EventLoops

extension OriginFetcher {
    /// Sends one request to a service that the operator has named, without a permit: a slow origin does not delay it.
    ///
    /// The service may be at a public address or in a local network, but not at the address of a metadata service.
    ///
    /// - Parameters:
    ///   - timeout: For everything, from the connection to the end of the response.
    ///   - longestBody: In bytes.
    public func send(
        _ request: ServiceRequest, timeout: Duration, longestBody: Int
    ) async throws(ServiceRequestFailure) -> ServiceResponse {
        let limits = ServiceTransfer.Limits(timeout: timeout, longestBody: longestBody) { [engine] address in
            engine.filter.permits(address) || AddressFilter.isOfOwnNetwork(address)
        }
        let result: Result<ServiceResponse, ServiceRequestFailure> = await withCheckedContinuation { continuation in
            engine.loop.execute { [engine] in
                let transfer = ServiceTransfer(engine.serviceDriver, engine.loop, limits) {
                    continuation.resume(returning: $0)
                }
                transfer.send(request, certificateAuthorities: engine.configuration.certificateAuthorities)
            }
        }
        return try result.get()
    }
}
