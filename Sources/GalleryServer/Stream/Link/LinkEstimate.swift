/// Estimates the link to one client from the stream itself: from the times when bytes are handed to the socket and when
/// the client acknowledges them. Unlike the socket's own statistics, that also works through proxies.
///
/// The round trip is the minimum of a recent window, which leaves out queueing delay. The rate is the maximum delivery
/// rate of a recent window (Cheng et al., "Delivery Rate Estimation"; Cardwell et al., "BBR"). A sample that was
/// application-limited gives only a lower bound of the rate. Moments are seconds of one monotonic clock.
struct LinkEstimate: Sendable {
    private struct SentMessage: Sendable {
        /// Bytes handed over up to the end of this message.
        var end: Int
        var moment: Double
        /// Bytes acknowledged by then, and when that acknowledgement arrived.
        var received: Int
        var receivedMoment: Double
        /// When the first message in the flight of this sample was handed over.
        var flightBegan: Double
        var isApplicationLimited: Bool
    }

    private static let roundTripWindow = 10.0
    private static let rateWindow = 10.0
    /// The most unacknowledged messages that are measured; beyond that the oldest are dropped.
    private static let measuredMessages = 4_096
    /// Samples over a shorter time would only measure the clock, in seconds.
    private static let shortestSample = 0.000_1

    /// Bytes of binary messages handed to the socket.
    private(set) var sentBytes = 0
    /// Bytes of binary messages that the client has acknowledged; nil until the first acknowledgement.
    private(set) var received: Int?
    private(set) var isRateKnown = false

    private var roundTrips = WindowedMaximum(window: Self.roundTripWindow)
    private var rates = WindowedMaximum(window: Self.rateWindow)
    private var measured: [SentMessage] = []
    private var receivedMoment = 0.0
    private var flightBegan = 0.0
    /// Messages handed over before the client has acknowledged more bytes than this are application-limited.
    private var applicationLimitedUntil = 0

    /// In seconds; nil until a message is acknowledged.
    var roundTrip: Double? { roundTrips.value.map { -$0 } }

    /// In bytes per second; nil until there is a sample. With `isRateKnown` it is the link's rate, otherwise a lower
    /// bound of it.
    var rate: Double? { rates.value }

    /// Bytes not yet acknowledged. Zero for a client that does not acknowledge.
    var inFlight: Int { received.map { sentBytes - $0 } ?? 0 }

    /// The bandwidth-delay product in bytes: anything beyond it waits in a queue. Nil until rate and round trip are
    /// known.
    var capacity: Double? {
        guard let rate, let roundTrip else { return nil }
        return rate * roundTrip
    }

    /// How long a byte handed over now is queued, in seconds.
    var queueing: Double {
        guard let rate, let capacity else { return 0 }
        return max(0, Double(inFlight) - capacity) / rate
    }

    /// Records that a binary message of `bytes` bytes goes to the socket.
    mutating func sent(_ bytes: Int, at moment: Double) {
        if inFlight == 0 {
            flightBegan = moment
            receivedMoment = moment
        }
        sentBytes += bytes
        guard let received else { return }
        if measured.count >= Self.measuredMessages { measured.removeFirst(Self.measuredMessages / 2) }
        measured.append(
            SentMessage(
                end: sentBytes, moment: moment, received: received, receivedMoment: receivedMoment,
                flightBegan: flightBegan, isApplicationLimited: received <= applicationLimitedUntil))
    }

    /// Records that there is nothing to send now, so the next messages say little about the link.
    mutating func applicationLimited() { applicationLimitedUntil = sentBytes }

    /// The client acknowledges `total` bytes in all. Clients are not trusted: a number beyond what was sent counts as
    /// everything, and a smaller number than before is ignored.
    mutating func acknowledge(_ total: Int, at moment: Double) {
        let total = min(max(0, total), sentBytes)
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
        // Over less than a round trip, acknowledgements that arrive together would look like a faster link.
        guard interval >= max(roundTrip ?? 0, Self.shortestSample) else { return }
        let sample = Double(total - newest.received) / interval
        if !newest.isApplicationLimited {
            isRateKnown = true
            rates.add(sample, at: moment)
        } else if sample > rate ?? 0 {
            rates.add(sample, at: moment)
        }
    }

    /// Whether bytes are in flight and the client has not acknowledged any for long: then its former acknowledgements
    /// are not reliable.
    func isSilent(at moment: Double) -> Bool {
        inFlight > 0 && moment - receivedMoment > max(3, 8 * (roundTrip ?? 0))
    }
}
