import Glibc

extension HTTPServer {
    /// How a server listens, and what it puts up with.
    public struct Configuration: Sendable {
        /// The address to listen on: a numeric address, or a name that means one of this machine's.
        public var host = "127.0.0.1"
        /// The port to listen on. 0 lets the system choose.
        public var port: UInt16 = 0
        /// How many loops share the connections. 0 means one for each core.
        public var loops = 0
        /// How many that is on this machine.
        public var loopCount: Int { loops > 0 ? loops : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

        /// Open connections, all loops together. One more is answered with 503 and closed.
        public var maximumConnections = 10_000
        /// Open connections of one client. One more is answered with 429 and closed. Proxies are excepted, see
        /// ``ClientRecognising``.
        public var maximumConnectionsPerClient = 2_500
        /// Requests of one connection that may wait for their answer at a time. More are left in the socket.
        public var pipelineDepth = 16

        /// Bytes of a request line.
        public var maximumRequestLine = 8_192
        /// Bytes of all field lines of a request together, and of all trailer lines.
        public var maximumFields = 16_384
        /// Number of field lines of a request.
        public var maximumFieldCount = 100
        /// Bytes of a request's body.
        public var maximumBody: Int64 = 1_048_576

        /// How long a request's head may take, from the opening of the connection or from its first byte.
        public var headTimeout = Duration.seconds(15)
        /// How long a connection may rest between two requests.
        public var idleTimeout = Duration.seconds(75)
        /// How long a body may bring no byte while it is read.
        public var bodySilence = Duration.seconds(10)
        /// The least rate of a body, in bytes a second, …
        public var minimumBodyRate = 512
        /// … on average over any stretch of this time, however much came before it.
        public var bodyWindow = Duration.seconds(20)
        /// Bytes of request bodies that are held in memory, all connections together. A body that brings more is
        /// answered with 503 and `Retry-After`.
        public var maximumHeldBodies = 33_554_432
        /// The same for one client.
        public var maximumHeldBodiesPerClient = 8_388_608
        /// Bytes of answers that are held in memory since their clients do not take them, or an earlier answer of the
        /// same connection is not there yet, all connections together. One more whose turn has not come is replaced by
        /// 503 with `Retry-After`; one that has begun is cut, and its connection reset.
        public var maximumHeldAnswers = 134_217_728
        /// The same for one client. A longer body in memory reaches only who takes it without a rest.
        public var maximumHeldAnswersPerClient = 33_554_432
        /// How long a client may take nothing at all of an answer.
        public var writeTimeout = Duration.seconds(30)
        /// How long an answer that has begun may rest for a client that has finished sending. Such a client may still
        /// read, or have gone without a trace, which shows with the next byte that it is sent. No shorter than what
        /// answers wait for may take.
        public var halfCloseTimeout = Duration.seconds(25)
        /// How long what a client still sends is thrown away, so that it can read the last answer (RFC 9112 §9.6).
        public var lingerTimeout = Duration.seconds(2)

        /// Bytes that may wait in a socket, unsent. The less it is, the later it is decided what to send next.
        public var unsentLowWater = 16_384
        /// Connections that wait to be accepted.
        public var backlog: Int32 = 1_024

        public init() {}

        /// Throws ``ServerError/invalidConfiguration(_:)`` if the server could not run so.
        public func validate() throws(ServerError) {
            func require(_ condition: Bool, _ message: String) throws(ServerError) {
                guard condition else { throw .invalidConfiguration(message) }
            }
            try require(!host.isEmpty, "host is empty")
            try require((0...1_024).contains(loops), "loops: from 0 to 1024")
            try require(maximumConnections > 0, "maximumConnections: at least 1")
            try require(maximumConnectionsPerClient > 0, "maximumConnectionsPerClient: at least 1")
            try require(pipelineDepth > 0, "pipelineDepth: at least 1")
            try require((64...65_536).contains(maximumRequestLine), "maximumRequestLine: from 64 to 65536")
            try require((64...1_048_576).contains(maximumFields), "maximumFields: from 64 to 1048576")
            try require(maximumFieldCount > 0, "maximumFieldCount: at least 1")
            try require(maximumBody >= 0, "maximumBody: not negative")
            try require(minimumBodyRate >= 0, "minimumBodyRate: not negative")
            try require(maximumHeldBodies > 0, "maximumHeldBodies: at least 1")
            try require(maximumHeldBodiesPerClient > 0, "maximumHeldBodiesPerClient: at least 1")
            try require(maximumHeldAnswers > 0, "maximumHeldAnswers: at least 1")
            try require(maximumHeldAnswersPerClient > 0, "maximumHeldAnswersPerClient: at least 1")
            try require(unsentLowWater > 0, "unsentLowWater: at least 1")
            try require(backlog > 0, "backlog: at least 1")
            let times = [
                headTimeout, idleTimeout, bodySilence, bodyWindow, writeTimeout, halfCloseTimeout, lingerTimeout,
            ]
            try require(times.allSatisfy { $0 > .zero && $0 < .seconds(86_400) }, "times: more than 0, less than a day")
        }
    }
}
