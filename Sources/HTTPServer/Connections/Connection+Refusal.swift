import HTTPTypes

extension Connection {
    /// The server has too many connections: says so, takes no request, and closes.
    func turnAway() {
        takesRequests = false
        let problem = Problem(.serviceUnavailable, detail: "Too many connections.", headers: [.retryAfter: "1"])
        exchanges.append(Exchange(number: nextNumber, context: .init(keepsAlive: false), response: problem.response))
        nextNumber += 1
        process()
    }
}
