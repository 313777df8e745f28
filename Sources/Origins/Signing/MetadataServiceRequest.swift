import Addresses
import CCurl
import EventLoops
import Glibc

/// One request to a service that issues a role's credentials: short, to an address of the local machine or network, and
/// with a small response.
///
/// Invariant of the unchecked conformance: created and used on the event loop only.
final class MetadataServiceRequest: TransferClient, @unchecked Sendable {
    private static let timeout: Duration = .seconds(2)
    private static let longestAnswer = 64 << 10

    private let driver: CurlDriver
    private let loop: EventLoop
    private let done: ([UInt8]?) -> Void
    private var transfer: Transfer?
    private var timer: LoopTimer?
    private var body: [UInt8] = []
    private var status = 0

    /// - Parameter done: Called exactly once, with the body of a successful response, or nil.
    init(_ driver: CurlDriver, _ loop: EventLoop, done: @escaping ([UInt8]?) -> Void) {
        self.driver = driver
        self.loop = loop
        self.done = done
    }

    /// Sends the request; `done` is not called before this returns. Call it once.
    func ask(_ url: String, method: String? = nil, fields: [String]) {
        timer = loop.schedule(after: Self.timeout) { [self] in end(nil) }
        guard let url = try? OriginURL(url),
            let transfer = Transfer(
                TransferRequest(
                    url: url, fields: fields, userAgent: "Tessera/1", method: method,
                    connectTimeout: Self.timeout, maximumHeaderBytes: 16 << 10),
                client: self),
            driver.start(transfer)
        else { return loop.execute { [self] in end(nil) } }
        self.transfer = transfer
    }

    private func end(_ answer: [UInt8]?) {
        guard let timer else { return }
        timer.cancel()
        self.timer = nil
        if let transfer { driver.remove(transfer) }
        transfer = nil
        done(answer)
    }

    /// Only addresses where such services run: any other host that claims their names gets no token.
    func mayConnect(to address: IPAddress?) -> Bool { address.map(AddressFilter.isOfMetadata) ?? false }

    func headArrived(_ head: ResponseHead) -> BodyUse {
        status = head.status
        return status == 200 ? .deliver : .giveUp
    }

    func headRefused(_ why: String) {}

    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        guard body.count + bytes.count <= Self.longestAnswer else { return .giveUp }
        body += bytes
        return .next
    }

    func transferEnded(_ transfer: Transfer, _ code: CURLcode) { end(code == CURLE_OK && status == 200 ? body : nil) }
}
