import EventLoops

/// Listens to one channel, on a connection that comes back.
///
/// On the loop only.
final class RedisSubscription {
    private let channel: String
    private let began: () -> Void
    private let heard: ([UInt8]) -> Void
    private var link: RedisLink?

    init(
        _ channel: String, _ address: RedisAddress, _ configuration: RedisClient.Configuration, loop: EventLoop,
        lookup: HostLookup, began: @escaping () -> Void, heard: @escaping ([UInt8]) -> Void
    ) {
        self.channel = channel
        self.began = began
        self.heard = heard
        link = RedisLink(address, configuration, loop: loop, lookup: lookup) { [weak self] change in
            guard change == .connected else { return }
            self?.subscribe()
        }
    }

    func start() { link?.start() }
    func stop() { link?.stop() }

    private func subscribe() {
        _ = link?.connection?.subscribe(to: channel) { [weak self] message in
            if let message { self?.heard(message) } else { self?.began() }
        }
    }
}
