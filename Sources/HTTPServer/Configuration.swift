import Glibc

extension HTTPServer {
    /// The addresses, limits and timeouts of a server.
    public struct Configuration: Sendable {
        /// The address to listen on: numeric, or a name that resolves to one of this machine's addresses.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 lets the system choose.
        public var port: UInt16 = 0
        /// The number of event loops that share the connections; 0 means one per core.
        public var loops = 0
        /// The resulting number of loops on this machine.
        public var loopCount: Int { loops > 0 ? loops : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

        /// A path prefix under which everything is also served, such as `/gallery`; empty for none. The server strips
        /// it from a request's path, as a proxy might have done.
        public var basePath = ""

        /// Open connections, over all loops. Further ones get a 503 and are closed.
        public var maximumConnections = 10_000
        /// Open connections of one client. Further ones get a 429 and are closed. Proxies are exempt, see
        /// ``ClientIdentifying``.
        public var maximumConnectionsPerClient = 2_500
        /// Requests of one connection that may wait for their responses. Further ones stay in the socket's buffer.
        public var pipelineDepth = 16

        /// The length of a request line, in bytes.
        public var maximumRequestLine = 8_192
        /// The total length of a request's field lines in bytes, and separately of its trailer lines.
        public var maximumFields = 16_384
        /// The number of field lines in a request.
        public var maximumFieldCount = 100
        /// The length of a request's body, in bytes.
        public var maximumBody: Int64 = 1_048_576

        /// How long a request's head may take, from the opening of the connection or from the head's first byte.
        public var headTimeout = Duration.seconds(15)
        /// How long a connection may be idle between two requests.
        public var idleTimeout = Duration.seconds(75)
        /// How long a body that is being read may pause without sending a byte.
        public var bodySilence = Duration.seconds(10)
        /// The minimum rate of a body in bytes per second, averaged over any ``bodyWindow``, however fast the body was
        /// before.
        public var minimumBodyRate = 512
        /// The length of the periods over which the rate of a body is averaged.
        public var bodyWindow = Duration.seconds(20)
        /// Bytes of request bodies held in memory, over all connections. A body that would exceed this gets a 503
        /// with `Retry-After`.
        public var maximumHeldBodies = 33_554_432
        /// The same for one client.
        public var maximumHeldBodiesPerClient = 8_388_608
        /// Bytes of responses held in memory because their clients don't read them, or because an earlier response on
        /// the same connection is pending; over all connections. A response that would exceed this is replaced by a
        /// 503 with `Retry-After`. If it has already begun, it is cut off and its connection is reset.
        public var maximumHeldResponses = 134_217_728
        /// The same limit for one client. A client can receive a longer in-memory body only by reading it without a
        /// pause.
        public var maximumHeldResponsesPerClient = 33_554_432
        /// How long a client may read nothing at all of a response.
        public var writeTimeout = Duration.seconds(30)
        /// How long a response that has begun may pause if its client has shut down its sending side. Such a client
        /// may still be reading, or may have disappeared, which shows only when it is sent another byte. Should be no
        /// shorter than the operations that responses wait for.
        public var halfCloseTimeout = Duration.seconds(25)
        /// How long the server discards what a client still sends, so that the client can read the last response (RFC
        /// 9112 §9.6).
        public var lingerTimeout = Duration.seconds(2)

        /// Unsent bytes that may wait in a socket. The fewer they are, the later the server decides what to send next.
        public var unsentLowWater = 16_384
        /// Connections waiting to be accepted.
        public var backlog: Int32 = 1_024

        public init() {}

        /// Whether a path needs no escaping (RFC 3986 §2.3), has no empty or dot segments, and no slash at its end.
        private static func isBasePath(_ path: String) -> Bool {
            path.isEmpty
                || path.first == "/"
                    && path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
                        !["", ".", ".."].contains(segment)
                            && segment.utf8.allSatisfy {
                                Character(UnicodeScalar($0)).isLetter && $0 < 0x80
                                    || (0x30...0x39).contains($0) || "-._~".utf8.contains($0)
                            }
                    }
        }

        /// Throws ``ServerError/invalidConfiguration(_:)`` if a value is out of range.
        public func validate() throws(ServerError) {
            func require(_ condition: Bool, _ message: String) throws(ServerError) {
                guard condition else { throw .invalidConfiguration(message) }
            }
            try require(!host.isEmpty, "host is empty")
            try require((0...1_024).contains(loops), "loops: from 0 to 1024")
            try require(
                Self.isBasePath(basePath),
                "basePath: must consist of segments of letters, digits, and -._~, each preceded by a slash")
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
            try require(maximumHeldResponses > 0, "maximumHeldResponses: at least 1")
            try require(maximumHeldResponsesPerClient > 0, "maximumHeldResponsesPerClient: at least 1")
            try require(unsentLowWater > 0, "unsentLowWater: at least 1")
            try require(backlog > 0, "backlog: at least 1")
            let times = [
                headTimeout, idleTimeout, bodySilence, bodyWindow, writeTimeout, halfCloseTimeout, lingerTimeout,
            ]
            try require(times.allSatisfy { $0 > .zero && $0 < .seconds(86_400) }, "times: more than 0, less than a day")
        }
    }
}
