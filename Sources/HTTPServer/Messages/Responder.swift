/// Whoever answers requests: a ``Router``, ``StaticFiles``, or a type of your own.
public protocol Responder: Sendable {
    /// Called on the loop of the request's connection; must not block. The answer may come now or later, from any
    /// thread, through `reply`.
    func respond(to request: Request, reply: Reply)
}
