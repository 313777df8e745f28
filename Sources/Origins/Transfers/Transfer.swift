import Addresses
import CCurl
import Crypto
import Glibc

/// Who a transfer tells. Called on the loop; all but `transferEnded` from within curl, where no transfer may be started
/// or removed.
protocol TransferClient: AnyObject {
    /// A socket is wanted for this address (nil: of no known family).
    func mayConnect(to address: IPAddress?) -> Bool
    /// The final head. What is to become of the body?
    func headArrived(_ head: ResponseHead) -> BodyUse
    /// No head came that could be taken.
    func headRefused(_ why: String)
    /// Some of the body. Only after `.deliver`.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyStep
    /// The end. The transfer is removed already.
    func transferEnded(_ transfer: Transfer, _ code: CURLcode)
}

enum BodyUse {
    case deliver
    /// Read the body away if it is small, so that the connection can be used again; give it up if it is not.
    case discard
    case giveUp
}

enum BodyStep {
    case next
    /// Hand the same bytes over again after a resume.
    case pause
    case giveUp
}

/// What to send, and its limits.
struct TransferRequest {
    var url: OriginURL
    /// Whole field lines.
    var fields: [String]
    var userAgent: String
    /// Nil for GET.
    var method: String?
    /// What is sent with it, if anything.
    var upload: OriginRequest.Upload?
    var signature: Signature?
    /// `host:port` to connect to in the place of the URL's.
    var route: String?
    var connectTimeout: Duration
    var maximumHeaderBytes: Int
    /// A PEM file of certificate authorities to trust beside the system's.
    var certificateAuthorities: String?
}

/// What a request to a store is signed with (AWS' Signature Version 4), by curl.
struct Signature {
    var region: String
    /// Nil for none: the store is asked as anybody asks it.
    var credentials: Credentials?

    /// - Parameter body: what is sent with the request; empty for most.
    fileprivate func fields(of body: [UInt8]) -> [String] {
        guard let credentials else { return [] }
        let digest = SHA256.hash(data: body).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
        // curl signs the path and the query as they stand, and each field that it is given.
        return ["x-amz-content-sha256: \(digest)"]
            + (credentials.sessionToken.map { ["x-amz-security-token: \($0)"] } ?? [])
    }

    fileprivate func sign(_ easy: UnsafeMutableRawPointer) {
        ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        // As an option, and not as a field: those on the way there that change it do not break the signature.
        ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "identity")
        guard let credentials else { return }
        ccurl_set_string(easy, CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
        ccurl_set_string(easy, CURLOPT_USERNAME, credentials.accessKey)
        ccurl_set_string(easy, CURLOPT_PASSWORD, credentials.secretKey)
    }
}

/// One request and its answer: an easy handle and its callbacks.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private(set) weak var client: (any TransferClient)?
    /// Told of each socket that is opened for it.
    var socketOpened: ((Int32) -> Void)?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var routes: UnsafeMutablePointer<curl_slist>?
    private var collector: HeadCollector
    private var use = BodyUse.giveUp
    private var discarded: Int64 = 0

    /// So much of a body that nobody wants is read, for the sake of its connection.
    private static let mostDiscarded: Int64 = 16_384

    /// Nil if there is no memory for it.
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
        // No signals (curl's name resolution by alarm is not for threads), and no waiting for a resolver's thread when
        // a transfer is removed: such a thread is let go and frees itself.
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        // What the environment says of proxies is not meant for pictures, and would get round the address filter.
        ccurl_set_string(easy, CURLOPT_PROXY, "")
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
        ccurl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 65_536)
        ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.milliseconds))
        if request.url.origin.isSecure {
            // One connection for many: wait for the handshake under way, which tells whether it can be shared.
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

    /// As the fields of a form, which curl can begin anew by itself where a connection that was kept has gone. It takes a
    /// copy.
    private func send(_ upload: OriginRequest.Upload) {
        ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, upload.bytes.count)
        upload.bytes.withUnsafeBytes { bytes in
            // Of no bytes there may be no address; curl copies none, and wants one.
            let first = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: first))
        }
    }

    /// The context pointers are good for as long as the handle is in use: the driver keeps the transfer until it has
    /// removed the handle, and the handle is the transfer's own.
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
            case .discard: return head.contentLength ?? 0 <= Transfer.mostDiscarded
            case .giveUp: return false
            }
        }
        return false
    }

    /// Whether its client has held the body back.
    private(set) var isPaused = false

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        switch use {
        case .deliver:
            let step = client?.bodyArrived(bytes) ?? .giveUp
            isPaused = step == .pause
            return step
        case .discard:
            discarded += Int64(bytes.count)
            return discarded <= Transfer.mostDiscarded ? .next : .giveUp
        case .giveUp:
            return .giveUp
        }
    }

    private func openSocket(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        // The address is longer than the type that the struct declares for it, so it is read in place.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let address = UnsafeRawPointer(wanted).advanced(by: offset).assumingMemoryBound(to: sockaddr.self)
        let resolved = IPAddress(address, length: Int(wanted.pointee.addrlen))
        guard client?.mayConnect(to: resolved) == true else { return ccurl_socket_bad }
        let type = wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(wanted.pointee.family, type, wanted.pointee.protocol)
        if descriptor >= 0 { socketOpened?(descriptor) }
        return descriptor
    }

    /// The port of this end of its connection, which names the connection among those to one origin; 0 without one.
    var localPort: Int {
        var port = 0
        return ccurl_get_long(easy, CURLINFO_LOCAL_PORT, &port) == CURLE_OK ? port : 0
    }
}

extension Duration {
    /// Whole milliseconds, at most some millions of years.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, 1 << 50)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
