import HTTPServer
import HTTPTypes
import Logging
import Renditions

/// An HTTP origin that draws numbered pictures, with the latency and faults of a bad network. It counts its requests.
///
/// | path | meaning |
/// | --- | --- |
/// | `/pictures/17.jpg` | picture 17 in its own size (about 800 pixels; mostly landscape, some portrait) |
/// | `/17/800x600.jpg` | picture 17 in any size from 16 to 4096 pixels a side |
/// | `/slow/NAME?bytes=5000000&rate=1000000` | `bytes` bytes, sent at `rate` bytes per second; no faults |
/// | `GET /counts`, `POST /counts/reset` | ``Counts`` as JSON |
/// | `GET /control`, `POST /control` | ``Conditions`` as JSON; absent members stay as they are |
///
/// Each picture shows its number in large digits for people, and in a ``NumberMosaic`` for machines.
public final class DemoOrigin: Sendable {
    private let configuration: Configuration
    private let server: HTTPServer
    private let responder: PictureResponder

    /// Throws ``Invalid``.
    ///
    /// - Parameter encoder: Encodes the drawn pictures as files.
    public init(configuration: Configuration = Configuration(), encoder: any PixelEncoding, logger: Logger) throws {
        try configuration.validate()
        self.configuration = configuration
        responder = PictureResponder(configuration, encoder: encoder)
        var settings = HTTPServer.Configuration()
        settings.host = configuration.host
        settings.port = configuration.port
        settings.loops = 1
        server = HTTPServer(
            configuration: settings, responder: DemoOrigin.router(responder, logger: logger), logger: logger)
    }

    /// Starts to listen, and returns the address and port. Throws `ServerError`.
    public func start() async throws -> String { "\(try await server.start())" }

    /// The path of the pictures, as a URL template for a gallery: `{index}` stands for the number.
    public static let pathTemplate = "/pictures/{index}.jpg"

    /// The size of a picture in pixels, without drawing it; nil if there is no picture with this number.
    public static func size(ofPicture number: Int, seed: UInt64) -> (width: Int, height: Int)? {
        NumberedPicture(number: number, seed: seed).map { ($0.width, $0.height) }
    }

    /// The requests counted so far.
    public var counts: Counts { responder.requestLog.counts }

    /// The current conditions.
    public var conditions: Conditions { responder.conditions }

    /// Changes the conditions, from the next request on. Throws ``Invalid``.
    public func change(_ conditions: Conditions) throws {
        try conditions.validate()
        responder.conditions = conditions
    }

    /// Stops at once, cutting off pending responses.
    public func stop() async {
        await server.stop(within: .zero)
    }

    private static func router(_ responder: PictureResponder, logger: Logger) -> Router {
        var router = Router(logger: logger)
        router.get("/pictures/{file}") { request in
            let picture = try PictureName.picture(file: request.parameters["file"], seed: responder.seed)
            return try await responder.answer(picture, to: request)
        }
        router.get("/{index}/{size}") { request in
            let picture = try PictureName.picture(index: request.parameters["index"], size: request.parameters["size"])
            return try await responder.answer(picture, to: request)
        }
        router.get("/slow/{name}") { request in try await responder.answerSlowly(to: request) }
        router.get("/counts") { _, reply in reply.send(Response(json: responder.requestLog.counts)) }
        router.post("/counts/reset") { _, reply in
            responder.requestLog.reset()
            reply.send(Response(json: responder.requestLog.counts))
        }
        router.get("/control") { _, reply in reply.send(Response(json: responder.conditions)) }
        router.post("/control") { request in
            try responder.change(try await request.body.collect(upTo: 4_096))
            return Response(json: responder.conditions)
        }
        return router
    }
}
