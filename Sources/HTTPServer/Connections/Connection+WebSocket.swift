import HTTPTypes
import Logging

extension Connection {
    /// The first response turns the connection into a WebSocket. No other response is owed, since nothing was read
    /// after its request.
    func beginWebSocket(_ response: Response, _ upgrade: WebSocketUpgrade) {
        isAnswering = false
        heldBack = nil
        do throws(ResponseError) {
            try shard.encoder.encodeUpgrade(response, to: &output.first)
        } catch {
            shard.logger.error("a response could not be sent: \(error)")
            response.abandon(.aborted)
            exchanges[0].response = Problem(.internalServerError).response
            return
        }
        noteResponse(response.status)
        record(exchanges[0], isComplete: true)
        exchanges = []
        takesRequests = false
        let channel = WebSocketChannel(upgrade, on: self, received: parser.takeRest())
        self.channel = channel
        channel.open()
    }
}
