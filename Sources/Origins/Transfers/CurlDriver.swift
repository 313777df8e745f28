import CCurl
import EventLoops
import Glibc

/// curl's multi interface on one event loop: curl says which sockets and which time it waits for, and the loop reports
/// when they are ready. All transfers run on the loop's thread; curl resolves names on threads of its own.
///
/// On the event loop only.
final class CurlDriver {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var sockets: [Int32: CurlSocket] = [:]
    /// The sockets of connections, in use or idle.
    private var connections: Set<Int32> = []
    private var timer: LoopTimer?
    private var isShutDown = false

    /// Once per process, before any handle is created.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    /// - Parameter idleConnections: The number of connections kept open for later requests.
    init(loop: EventLoop, idleConnections: Int) throws(OriginError) {
        guard CurlDriver.isReady, let multi = curl_multi_init() else {
            throw OriginError(.stopped, logDetail: "libcurl cannot be initialised")
        }
        self.loop = loop
        self.multi = multi
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, idleConnections)
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_socket_function(multi) { _, socket, interest, context, _ in
            guard let context else { return 0 }
            Unmanaged<CurlDriver>.fromOpaque(context).takeUnretainedValue().watch(socket, interest)
            return 0
        }
        ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_timer_function(multi) { _, milliseconds, context in
            guard let context else { return 0 }
            Unmanaged<CurlDriver>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
            return 0
        }
    }

    deinit {
        precondition(isShutDown, "a driver must be shut down on its loop")
    }

    /// Starts a transfer. Its client is not called before the current iteration of the event loop has ended. Returns
    /// false if curl refuses the transfer.
    func start(_ transfer: Transfer) -> Bool {
        guard !isShutDown else { return false }
        transfers[transfer.easy] = transfer
        transfer.socketOpened = { [weak self] in _ = self?.connections.insert($0) }
        ccurl_set_pointer(transfer.easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        ccurl_set_close_socket_function(transfer.easy) { context, descriptor in
            if let context {
                let driver = Unmanaged<CurlDriver>.fromOpaque(context).takeUnretainedValue()
                driver.connections.remove(descriptor)
            }
            return close(descriptor)
        }
        if curl_multi_add_handle(multi, transfer.easy) == CURLM_OK { return true }
        transfers[transfer.easy] = nil
        return false
    }

    /// Silently ends a transfer: over HTTP/1.1 its socket is closed, over HTTP/2 its stream is reset. Must not be
    /// called from within a client's callbacks.
    func remove(_ transfer: Transfer) {
        guard transfers.removeValue(forKey: transfer.easy) != nil else { return }
        let endpoints = transfer.endpoints
        curl_multi_remove_handle(multi, transfer.easy)
        if let endpoints { sendReset(on: endpoints) }
    }

    /// Makes sure that the origin learns of a stream's reset now.
    ///
    /// libcurl 7.88 puts the frame into a buffer that is sent with the connection's next output, which may never come.
    /// Pausing another transfer of the connection for a moment sends it; if there is no other transfer, the connection
    /// is closed. Over HTTP/1.1 curl has already closed the connection, and this does nothing.
    private func sendReset(on endpoints: ConnectionEndpoints) {
        guard let descriptor = connections.first(where: { ConnectionEndpoints(socket: $0) == endpoints }) else {
            return
        }
        let others = transfers.values.filter { $0.endpoints == endpoints }
        guard !others.isEmpty else {
            shutdown(descriptor, Int32(SHUT_RDWR))
            return
        }
        guard let other = others.first(where: { !$0.isPaused }) else { return }
        guard curl_easy_pause(other.easy, CURLPAUSE_RECV) == CURLE_OK else { return }
        resume(other)
    }

    /// Resumes a paused transfer.
    func resume(_ transfer: Transfer) {
        guard transfers[transfer.easy] != nil else { return }
        let code = curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
        if code != CURLE_OK { end(transfer, code) }
    }

    /// Ends all transfers and closes all connections.
    func shutDown() {
        guard !isShutDown else { return }
        isShutDown = true
        for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy) }
        transfers = [:]
        curl_multi_cleanup(multi)
        timer?.cancel()
        for descriptor in sockets.keys { loop.unwatch(descriptor) }
        sockets = [:]
    }

    fileprivate func act(_ socket: Int32, _ events: Int32) {
        guard !isShutDown else { return }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        var left: Int32 = 0
        while !isShutDown, let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            if let transfer = transfers[easy] { end(transfer, code) }
        }
    }

    private func end(_ transfer: Transfer, _ code: CURLcode) {
        if code == CURLE_WRITE_ERROR {
            // The client gave up in the middle of the body.
            remove(transfer)
        } else if transfers.removeValue(forKey: transfer.easy) != nil {
            curl_multi_remove_handle(multi, transfer.easy)
        }
        transfer.client?.transferEnded(transfer, code)
    }

    private func watch(_ descriptor: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            if sockets.removeValue(forKey: descriptor) != nil { loop.unwatch(descriptor) }
            return
        }
        guard !isShutDown else { return }
        // Level-triggered, because curl does not read until EAGAIN.
        var interest: Interest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        if sockets[descriptor] != nil {
            if (try? loop.rewatch(descriptor, for: interest)) != nil { return }
            loop.unwatch(descriptor)
        }
        let socket = CurlSocket(descriptor, of: self)
        sockets[descriptor] = socket
        // If a socket cannot be watched, its transfer ends by its timeouts.
        try? loop.watch(descriptor, for: interest, handler: socket)
    }

    private func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0, !isShutDown else { return }
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.act(ccurl_socket_timeout, 0)
        }
    }
}

/// One of curl's sockets on the event loop.
private final class CurlSocket: EventHandler {
    private let descriptor: Int32
    private weak var driver: CurlDriver?

    init(_ descriptor: Int32, of driver: CurlDriver) {
        self.descriptor = descriptor
        self.driver = driver
    }

    func descriptorIsReady(_ events: Readiness) {
        var bits: Int32 = 0
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp]) { bits |= CURL_CSELECT_IN }
        if events.contains(.writable) { bits |= CURL_CSELECT_OUT }
        if events.contains(.failed) { bits |= CURL_CSELECT_ERR }
        driver?.act(descriptor, bits)
    }
}
