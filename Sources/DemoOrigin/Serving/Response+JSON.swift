import Encodings
import HTTPServer
import HTTPTypes

extension Response {
    /// A response in JSON that must not be stored.
    init(json value: some JSONWritable) {
        self.init(
            headers: [.contentType: "application/json", .cacheControl: "no-store"], body: .bytes(value.json()))
    }
}
