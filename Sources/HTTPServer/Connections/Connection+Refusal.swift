import HTTPTypes

extension Connection {
    /// The server or this client has too many connections: says so, accepts no request, and closes.
    func refuseConnection(exceedsClientLimit byClient: Bool) {
        takesRequests = false
        let problem =
            byClient
            ? Problem(
                .tooManyRequests, detail: "Your address has too many connections.", headers: [.retryAfter: "1"])
            : Problem(.serviceUnavailable, detail: "Too many connections.", headers: [.retryAfter: "1"])
        exchanges.append(Exchange(number: nextNumber, context: .init(keepsAlive: false), response: problem.response))
        nextNumber += 1
        process()
    }
}
