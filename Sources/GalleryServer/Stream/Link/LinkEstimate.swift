/// What the link to one client can do, learnt from the stream itself: from when bytes were handed to the socket and from
/// what the client says has come. It sees through proxies, where the socket's own figures tell of the proxy alone.
///
/// The round trip is the least of the last while, so that waiting in queues does not count. The rate is the greatest
/// delivery rate of the last while (Cheng et al., "Delivery Rate Estimation"; Cardwell et al., "BBR"): a sample taken while
/// there was too little to send says only that the link is at least so fast. Moments are seconds of one monotonic clock.
struct LinkEstimate: Sendable {
    private struct Handed: Sendable {
        /// Bytes handed over up to this message's end.
        var end: Int
        var moment: Double
        /// What had been received then, and when that was heard.
        var received: Int
        var receivedMoment: Double
        /// When the message was handed over at which the flight of this one's sample begins.
        var flightBegan: Double
        var isApplicationLimited: Bool
    }

    private static let roundTripWindow = 10.0
    private static let rateWindow = 10.0
    /// Messages that may wait for their acknowledgement and be measured; beyond, the oldest are not.
    private static let measuredMessages = 4_096
    /// Samples over less time than this measure the clock, in seconds.
    private static let shortestSample = 0.000_1

    /// Bytes of binary messages handed to the socket.
    private(set) var handed = 0
    /// Bytes of binary messages that the client has; nil as long as it has said nothing.
    private(set) var received: Int?
    private(set) var isRateKnown = false

    private var roundTrips = WindowedMaximum(window: Self.roundTripWindow)
    private var rates = WindowedMaximum(window: Self.rateWindow)
    private var measured: [Handed] = []
    private var receivedMoment = 0.0
    private var flightBegan = 0.0
    /// Messages handed over before the client has more than so much are application-limited.
    private var applicationLimitedUntil = 0

    /// Seconds; nil as long as nothing was acknowledged.
    var roundTrip: Double? { roundTrips.value.map { -$0 } }

    /// Bytes a second; nil as long as nothing is known. With `isRateKnown` the link's own, without a lower bound of it.
    var rate: Double? { rates.value }

    /// Bytes that the client has not said to have. Zero for a client that says nothing.
    var inFlight: Int { received.map { handed - $0 } ?? 0 }

    /// Bytes that fit into the link itself: what is more waits in a queue. Nil until rate and round trip are known.
    var capacity: Double? {
        guard let rate, let roundTrip else { return nil }
        return rate * roundTrip
    }

    /// How long a byte handed over now waits behind others, in seconds.
    var queueing: Double {
        guard let rate, let capacity else { return 0 }
        return max(0, Double(inFlight) - capacity) / rate
    }

    /// A binary message of so many bytes goes to the socket.
    mutating func hand(_ bytes: Int, at moment: Double) {
        if inFlight == 0 {
            flightBegan = moment
            receivedMoment = moment
        }
        handed += bytes
        guard let received else { return }
        if measured.count >= Self.measuredMessages { measured.removeFirst(Self.measuredMessages / 2) }
        measured.append(
            Handed(
                end: handed, moment: moment, received: received, receivedMoment: receivedMoment,
                flightBegan: flightBegan, isApplicationLimited: received <= applicationLimitedUntil))
    }

    /// There is nothing to send now, so that what comes next says little of the link.
    mutating func applicationLimited() { applicationLimitedUntil = handed }

    /// The client says that it has so many bytes in all. A client can say anything: more than there were is taken for all,
    /// and what goes back is passed over.
    mutating func acknowledge(_ total: Int, at moment: Double) {
        let total = min(max(0, total), handed)
        guard let before = received else {
            received = total
            return
        }
        guard total > before else { return }
        received = total
        receivedMoment = moment
        let count = measured.prefix { $0.end <= total }.count
        guard count > 0 else { return }
        let newest = measured[count - 1]
        measured.removeFirst(count)
        flightBegan = newest.moment
        roundTrips.add(-max(moment - newest.moment, Self.shortestSample), at: moment)
        let interval = max(newest.moment - newest.flightBegan, moment - newest.receivedMoment)
        // Within less than a round trip acknowledgements that came together would be taken for a faster link.
        guard interval >= max(roundTrip ?? 0, Self.shortestSample) else { return }
        let sample = Double(total - newest.received) / interval
        if !newest.isApplicationLimited {
            isRateKnown = true
            rates.add(sample, at: moment)
        } else if sample > rate ?? 0 {
            rates.add(sample, at: moment)
        }
    }

    /// Whether the client has bytes on their way and has not said for long that any came: then what it said before is not
    /// to be relied on.
    func isSilent(at moment: Double) -> Bool {
        inFlight > 0 && moment - receivedMoment > max(3, 8 * (roundTrip ?? 0))
    }
}
