import HTTPServer
import HTTPTypes
import Logging
import Renditions

/// An HTTP origin that draws numbered pictures, with the latency and the accidents of a bad network. It counts what it is
/// asked for.
///
/// | path | what |
/// | --- | --- |
/// | `/pictures/17.jpg` | picture 17 in its own size (about 800 pixels; most lie, some stand) |
/// | `/17/800x600.jpg` | picture 17 in any size from 16 to 4096 pixels a side |
/// | `/slow/NAME?bytes=5000000&rate=1000000` | a picture of so many bytes, sent at so many bytes a second; no accidents |
/// | `GET /counts`, `POST /counts/reset` | ``Counts`` as JSON |
/// | `GET /control`, `POST /control` | ``Conditions`` as JSON; members that are absent stay as they are |
///
/// Each picture shows its number to people in large digits, and to machines by its ``NumberFrieze``.
public final class DemoOrigin: Sendable {
    private let configuration: Configuration
    private let server: HTTPServer
    private let desk: PictureDesk

    /// Throws ``Invalid``.
    ///
    /// - Parameter encoder: Makes files of what is drawn.
    public init(configuration: Configuration = Configuration(), encoder: any PixelEncoding, logger: Logger) throws {
        try configuration.validate()
        self.configuration = configuration
        desk = PictureDesk(configuration, encoder: encoder)
        var settings = HTTPServer.Configuration()
        settings.host = configuration.host
        settings.port = configuration.port
        settings.loops = 1
        server = HTTPServer(
            configuration: settings, responder: DemoOrigin.router(desk, logger: logger), logger: logger)
    }

    /// Listens, and returns its address and port. Throws `ServerError`.
    public func start() async throws -> String { "\(try await server.start())" }

    /// The path of its pictures, for a gallery: `{index}` stands for the number.
    public static let pathTemplate = "/pictures/{index}.jpg"

    /// Pixels of the picture with this number, before anybody has asked for it; nil where there is none.
    public static func size(ofPicture number: Int, seed: UInt64) -> (width: Int, height: Int)? {
        NumberedPicture(number: number, seed: seed).map { ($0.width, $0.height) }
    }

    /// What it was asked for until now.
    public var counts: Counts { desk.ledger.counts }

    /// The conditions as they are.
    public var conditions: Conditions { desk.conditions }

    /// Other conditions, from the next request on. Throws ``Invalid``.
    public func change(_ conditions: Conditions) throws {
        try conditions.validate()
        desk.conditions = conditions
    }

    /// Stops; what is under way is cut.
    public func stop() async {
        await server.stop(within: .zero)
    }

    private static func router(_ desk: PictureDesk, logger: Logger) -> Router {
        var router = Router(logger: logger)
        router.get("/pictures/{file}") { request in
            let picture = try PictureName.picture(file: request.parameters["file"], seed: desk.seed)
            return try await desk.answer(picture, to: request)
        }
        router.get("/{index}/{size}") { request in
            let picture = try PictureName.picture(index: request.parameters["index"], size: request.parameters["size"])
            return try await desk.answer(picture, to: request)
        }
        router.get("/slow/{name}") { request in try await desk.answerSlowly(to: request) }
        router.get("/counts") { _, reply in reply.send(JSON.response(desk.ledger.counts)) }
        router.post("/counts/reset") { _, reply in
            desk.ledger.reset()
            reply.send(JSON.response(desk.ledger.counts))
        }
        router.get("/control") { _, reply in reply.send(JSON.response(desk.conditions)) }
        router.post("/control") { request in
            try desk.change(try await request.body.collect(upTo: 4_096))
            return JSON.response(desk.conditions)
        }
        return router
    }
}
