import Catalog
import Encodings

/// The body that a store posts when objects change: S3's event message, either plain or within an SNS notification.
struct StoreEventBody: JSONReadable, Sendable {
    /// Absent in a test message, and in a notification's envelope. Nil for a malformed record, which doesn't invalidate
    /// the others: the store would only post the same message again and again.
    let records: [Record?]?
    /// `s3:TestEvent` if the store is testing the endpoint.
    let test: String?
    /// `Notification`, `SubscriptionConfirmation` or `UnsubscribeConfirmation`, from SNS.
    let envelope: String?
    /// In a notification: the event message as text.
    let message: String?
    let subscribeURL: String?

    init(_ json: JSONField) throws(JSONFieldError) {
        records = try json["Records"]?.unlessNull?.list { (record) throws(JSONFieldError) in try? Record(record) }
        test = try json["Event"]?.unlessNull?.text()
        envelope = try json["Type"]?.unlessNull?.text()
        message = try json["Message"]?.unlessNull?.text()
        subscribeURL = try json["SubscribeURL"]?.unlessNull?.text()
    }

    /// A change of one object. The time and order of events don't matter, since the server verifies each with the
    /// store.
    struct Record: JSONReadable, Sendable {
        let eventName: String
        let bucket: String
        /// Encoded as in an HTML form.
        let key: String

        init(_ json: JSONField) throws(JSONFieldError) {
            eventName = try json.required("eventName").text()
            let place = try json.required("s3")
            bucket = try place.required("bucket").required("name").text()
            key = try place.required("object").required("key").text()
        }
    }
}

extension StoreEventBody.Record {
    /// The events that can change a listing. Stores may also report reads, which this server itself causes.
    private static let kinds = ["ObjectCreated:", "ObjectRemoved:", "LifecycleExpiration:", "ObjectRestore:"]

    /// Nil if the event changes no listing, or if the key is malformed.
    var hint: ObjectHint? {
        let name = eventName.hasPrefix("s3:") ? eventName.dropFirst(3) : eventName[...]
        guard Self.kinds.contains(where: { name.hasPrefix($0) }) else { return nil }
        return ObjectHint(bucket: bucket, encodedKey: key)
    }
}

/// The response to accepted events.
struct StoreEventAnswer: JSONWritable {
    /// The number of events that may concern a picture of this gallery.
    let noted: Int

    func write(to json: inout JSONWriter) { json.object { $0.member("noted", noted) } }
}
