import Addresses
import CCurl
import EventLoops
import Glibc

/// One short request to a service that the operator or the machine has named, rather than a source: to one that issues a
/// role's credentials, or that signs people in. It has a deadline, follows no redirect, is not retried, and reads no more
/// than a small response.
///
/// Invariant of the unchecked conformance: created and used on the event loop only.
final class ServiceTransfer: TransferClient, @unchecked Sendable {
    struct Limits: Sendable {
        /// For everything, from the connection to the end of the response.
        var timeout: Duration
        /// Of the response's body, in bytes.
        var longestBody: Int
        /// Whether a connection to this address may be opened.
        var mayConnect: @Sendable (IPAddress) -> Bool

        /// For services that issue credentials. Only addresses where such services run: any other host that claims their
        /// names gets no token.
        static let metadata = Limits(
            timeout: .seconds(2), longestBody: 64 << 10, mayConnect: AddressFilter.isOfMetadata)
    }

    private static let maximumHeaderBytes = 16 << 10

    private let driver: CurlDriver
    private let loop: EventLoop
    private let limits: Limits
    private let done: (Result<ServiceResponse, ServiceRequestFailure>) -> Void
    private var transfer: Transfer?
    private var timer: LoopTimer?
    private var body: [UInt8] = []
    private var status = 0
    /// Why the response was given up.
    private var fault: String?

    /// - Parameter done: Called exactly once.
    init(
        _ driver: CurlDriver, _ loop: EventLoop, _ limits: Limits,
        done: @escaping (Result<ServiceResponse, ServiceRequestFailure>) -> Void
    ) {
        self.driver = driver
        self.loop = loop
        self.limits = limits
        self.done = done
    }

    /// Sends the request; `done` is not called before this returns. Call it once.
    ///
    /// - Parameter certificateAuthorities: A PEM file with authorities to trust in addition to the system's.
    func send(_ request: ServiceRequest, certificateAuthorities: String? = nil) {
        timer = loop.schedule(after: limits.timeout) { [self] in
            end(.failure(ServiceRequestFailure(reason: "no complete response within \(limits.timeout)")))
        }
        guard let url = try? OriginURL(request.url) else { return refuse("its address is not a URL") }
        let upload = request.form.map {
            OriginRequest.Upload(
                bytes: $0, mediaType: "application/x-www-form-urlencoded", method: .post)
        }
        var fields = request.fields
        if let upload { fields += ["Content-Type: \(upload.mediaType)", "Expect:"] }
        guard
            let transfer = Transfer(
                TransferRequest(
                    url: url, fields: fields, userAgent: "Tessera/1", method: request.method, upload: upload,
                    connectTimeout: limits.timeout, maximumHeaderBytes: Self.maximumHeaderBytes,
                    certificateAuthorities: certificateAuthorities),
                client: self),
            driver.start(transfer)
        else { return refuse("the request cannot be sent") }
        self.transfer = transfer
    }

    private func refuse(_ reason: String) {
        loop.execute { [self] in end(.failure(ServiceRequestFailure(reason: reason))) }
    }

    private func end(_ result: Result<ServiceResponse, ServiceRequestFailure>) {
        guard let timer else { return }
        timer.cancel()
        self.timer = nil
        if let transfer { driver.remove(transfer) }
        transfer = nil
        done(result)
    }

    func mayConnect(to address: IPAddress?) -> Bool {
        guard let address, limits.mayConnect(address) else {
            fault = "its address is not allowed"
            return false
        }
        return true
    }

    func headArrived(_ head: ResponseHead) -> BodyUse {
        status = head.status
        fault = head.framingFault
        return fault == nil ? .deliver : .giveUp
    }

    func headRefused(_ why: String) { fault = why }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        guard body.count + bytes.count <= limits.longestBody else {
            fault = "the response exceeds \(limits.longestBody) bytes"
            return .giveUp
        }
        body += bytes
        return .next
    }

    func transferEnded(_ transfer: Transfer, _ code: CURLcode) {
        guard code == CURLE_OK, fault == nil else {
            let reason = fault ?? String(cString: curl_easy_strerror(code))
            return end(.failure(ServiceRequestFailure(reason: reason)))
        }
        end(.success(ServiceResponse(status: status, body: body)))
    }
}
