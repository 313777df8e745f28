import Addresses
import CCurl
import Encodings
import Glibc
import Hashing
import Time

/// The receiver of a transfer's events. Called on the event loop; all methods except `transferEnded` are called from
/// within curl, where no transfer may be started or removed.
protocol TransferClient: AnyObject {
    /// Whether a socket may be opened for this address (nil if its family is unknown).
    func mayConnect(to address: IPAddress?) -> Bool
    /// The final head arrived. The result decides what happens to the body.
    func headArrived(_ head: ResponseHead) -> BodyUse
    /// The head was malformed or too long.
    func headRefused(_ why: String)
    /// A part of the body. Only after `.deliver`.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep
    /// The transfer has ended and been removed.
    func transferEnded(_ transfer: Transfer, _ code: CURLcode)
}

enum BodyUse {
    case deliver
    /// Drain the body if it is small, so that the connection can be reused; otherwise give it up.
    case discard
    case giveUp
}

enum BodyStep {
    case next
    /// Deliver the same bytes again after a resume.
    case pause
    case giveUp
}

/// What to send, and the limits of a transfer.
struct TransferRequest {
    var url: OriginURL
    /// Complete field lines.
    var fields: [String]
    var userAgent: String
    /// Nil for GET.
    var method: String?
    /// The request's body, if any.
    var upload: OriginRequest.Upload?
    var signature: Signature?
    /// Connect to this `host:port` instead of the URL's.
    var route: String?
    var connectTimeout: Duration
    var maximumHeaderBytes: Int
    /// A PEM file with certificate authorities to trust in addition to the system's.
    var certificateAuthorities: String?
}

/// The parameters with which curl signs a request to an object store (AWS Signature Version 4).
struct Signature {
    var region: String
    /// Nil to send the request unsigned.
    var credentials: Credentials?

    /// - Parameter body: The request's body; usually empty.
    fileprivate func fields(of body: [UInt8]) -> [String] {
        guard let credentials else { return [] }
        let digest = Hexadecimal.text(of: SHA256.hash(body))
        // curl signs the path and the query as they stand, and each field that it is given.
        return ["x-amz-content-sha256: \(digest)"]
            + (credentials.sessionToken.map { ["x-amz-security-token: \($0)"] } ?? [])
    }

    fileprivate func sign(_ easy: UnsafeMutableRawPointer) {
        ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        // As an option rather than a signed field: proxies that change the field then do not break the signature.
        ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "identity")
        guard let credentials else { return }
        ccurl_set_string(easy, CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
        ccurl_set_string(easy, CURLOPT_USERNAME, credentials.accessKey)
        ccurl_set_string(easy, CURLOPT_PASSWORD, credentials.secretKey)
    }
}

/// One request and its response: an easy handle and its callbacks.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private(set) weak var client: (any TransferClient)?
    /// Called with each socket that is opened for the transfer.
    var socketOpened: ((Int32) -> Void)?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var routes: UnsafeMutablePointer<curl_slist>?
    private var collector: HeadCollector
    private var use = BodyUse.giveUp
    private var discarded: Int64 = 0

    /// The maximum number of bytes of an unwanted body that are drained to save its connection.
    private static let maximumDiscarded: Int64 = 16_384

    /// Nil if there is not enough memory.
    init?(_ request: TransferRequest, client: any TransferClient) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.client = client
        collector = HeadCollector(limit: request.maximumHeaderBytes)
        configure(request)
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        curl_slist_free_all(routes)
    }

    private func configure(_ request: TransferRequest) {
        ccurl_set_string(easy, CURLOPT_URL, request.url.text)
        ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, request.url.origin.isSecure ? "https" : "http")
        ccurl_set_string(easy, CURLOPT_USERAGENT, request.userAgent)
        // No signals, because name resolution with SIGALRM is not thread-safe. And no wait for a resolver thread when a
        // transfer is removed: the thread is detached and frees its own memory.
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        // Proxies from the environment are not meant for images, and would bypass the address filter.
        ccurl_set_string(easy, CURLOPT_PROXY, "")
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
        // Bodies are decoded by the client, which bounds what they decode to.
        ccurl_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        ccurl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 65_536)
        ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.milliseconds))
        if request.url.origin.isSecure {
            // HTTP/2 multiplexes transfers over one connection: wait for a running handshake, which shows whether the
            // connection can be shared.
            ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1)
            if let file = request.certificateAuthorities { ccurl_set_string(easy, CURLOPT_CAINFO, file) }
        } else {
            ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        if let route = request.route {
            routes = curl_slist_append(nil, "::\(route)")
            ccurl_set_list(easy, CURLOPT_CONNECT_TO, routes)
        }
        if let method = request.method { ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, method) }
        if let upload = request.upload { send(upload) }
        request.signature?.sign(easy)
        for field in request.fields + (request.signature?.fields(of: request.upload?.bytes ?? []) ?? []) {
            if let longer = curl_slist_append(fields, field) { fields = longer }
        }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields)
    }

    /// As POST fields, which curl can resend by itself if an idle connection turns out to be closed. curl makes a copy.
    private func send(_ upload: OriginRequest.Upload) {
        ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, upload.bytes.count)
        upload.bytes.withUnsafeBytes { bytes in
            // An empty buffer may have no address. curl copies nothing from it, but requires a non-null pointer.
            let first = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: first))
        }
    }

    /// The context pointers stay valid while the handle is in use: the driver retains the transfer until it has removed
    /// the handle, and the transfer owns the handle.
    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            let taken = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().takeHeaderLine(line)
            return taken ? size * count : 0
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
            switch Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().takeBody(body) {
            case .next: return size * count
            case .pause: return Int(CURL_WRITEFUNC_PAUSE)
            case .giveUp: return 0
            }
        }
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_open_socket_function(easy) { context, _, address in
            guard let context, let address else { return ccurl_socket_bad }
            return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().openSocket(address)
        }
    }

    private func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let client else { return false }
        switch collector.take(line) {
        case .more:
            return true
        case .tooLong:
            client.headRefused("a header section that is too long")
        case .malformed:
            client.headRefused("a head that cannot be read")
        case .complete(let head):
            use = client.headArrived(head)
            switch use {
            case .deliver: return true
            case .discard: return head.contentLength ?? 0 <= Transfer.maximumDiscarded
            case .giveUp: return false
            }
        }
        return false
    }

    /// Whether the client has paused the body.
    private(set) var isPaused = false

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        switch use {
        case .deliver:
            let step = client?.bodyArrived(bytes) ?? .giveUp
            isPaused = step == .pause
            return step
        case .discard:
            discarded += Int64(bytes.count)
            return discarded <= Transfer.maximumDiscarded ? .next : .giveUp
        case .giveUp:
            return .giveUp
        }
    }

    private func openSocket(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        // The address is longer than the type declared in the struct, so it is read in place.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let address = UnsafeRawPointer(wanted).advanced(by: offset).assumingMemoryBound(to: sockaddr.self)
        let resolved = IPAddress(address, length: Int(wanted.pointee.addrlen))
        guard client?.mayConnect(to: resolved) == true else { return ccurl_socket_bad }
        let type = wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(wanted.pointee.family, type, wanted.pointee.protocol)
        if descriptor >= 0 { socketOpened?(descriptor) }
        return descriptor
    }

    /// The connection that the transfer uses; nil if it has none.
    var endpoints: ConnectionEndpoints? { ConnectionEndpoints(easy: easy) }
}
