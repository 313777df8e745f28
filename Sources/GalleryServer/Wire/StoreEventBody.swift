import Catalog

/// What a store posts when objects come and go: S3's event message, as it is or within a notification of SNS.
struct StoreEventBody: Decodable, Sendable {
    /// Absent in a test message, and in a notification's envelope.
    let records: [Listed]?
    /// `s3:TestEvent` where a store tries whether anybody listens.
    let test: String?
    /// `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`, of SNS.
    let envelope: String?
    /// Of a notification: a body of the other kind, as text.
    let message: String?
    let subscribeURL: String?

    /// One that cannot be read takes no other with it: whoever posts it would do so again and again.
    struct Listed: Decodable, Sendable {
        let record: Record?

        init(from decoder: any Decoder) { record = try? Record(from: decoder) }
    }

    /// Something that happened to one object. When it was, and after what, is of no interest: the store is asked what is.
    struct Record: Decodable, Sendable {
        let eventName: String
        let s3: Place

        struct Place: Decodable, Sendable {
            let bucket: Bucket
            let object: Object
        }

        struct Bucket: Decodable, Sendable { let name: String }

        struct Object: Decodable, Sendable {
            /// Encoded as in a form.
            let key: String
        }
    }

    private enum CodingKeys: String, CodingKey {
        case records = "Records"
        case test = "Event"
        case envelope = "Type"
        case message = "Message"
        case subscribeURL = "SubscribeURL"
    }
}

extension StoreEventBody.Record {
    /// Events after which another listing may be other than before. Stores may tell of reading, too, and this server reads.
    private static let kinds = ["ObjectCreated:", "ObjectRemoved:", "LifecycleExpiration:", "ObjectRestore:"]

    /// Nil where the event changes nothing, or the key cannot be read.
    var hint: ObjectHint? {
        let name = eventName.hasPrefix("s3:") ? eventName.dropFirst(3) : eventName[...]
        guard Self.kinds.contains(where: { name.hasPrefix($0) }) else { return nil }
        return ObjectHint(bucket: s3.bucket.name, encodedKey: s3.object.key)
    }
}

/// What is answered when events were taken.
struct StoreEventAnswer: Encodable, Sendable {
    /// Events at which there may be a picture of this gallery.
    let noted: Int
}
