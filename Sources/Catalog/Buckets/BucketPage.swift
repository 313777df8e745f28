import Encodings
import Time
import XML

/// One object as a bucket listing describes it.
struct BucketObject: Hashable, Sendable {
    /// Any bytes; usually UTF-8.
    var key: [UInt8]
    /// In bytes.
    var size: Int64
    /// In seconds since 1970.
    var modified: Int64
    /// Including its quotes.
    var entityTag: String?
}

/// One page of a bucket listing.
struct BucketPage: Hashable, Sendable {
    var objects: [BucketObject] = []
    /// The opaque continuation token of the next page; nil if this is the last.
    var next: String?
}

/// Reads one response to `ListObjectsV2` while it arrives.
struct BucketPageReader {
    /// The largest response accepted, in bytes: a thousand keys of 1,024 bytes, each byte written as `%XX`, and as much
    /// again for the rest.
    static let maximumBytes = 16 << 20
    /// The most objects accepted in one page; no store sends more.
    static let maximumObjects = 10_000

    typealias Fault = XMLReader.Fault

    private var xml = XMLReader()
    private var count = 0
    private var path: [String] = []
    private var value: [UInt8] = []
    private var object: RawObject?
    private var objects: [RawObject] = []
    private var isEncoded = false
    private var isTruncated: Bool?
    private var token: String?

    /// The key is decoded only when the page is complete, because its encoding may be stated after it.
    private struct RawObject {
        var key: [UInt8]?
        var size: Int64?
        var modified: Int64?
        var entityTag: String?
    }

    /// The continuation token of the next page, as soon as it has been read: many stores send it ahead of the keys.
    var next: String? { isTruncated == true ? token : nil }

    /// - Throws: ``Fault`` if the bytes are not a bucket listing.
    mutating func read(_ bytes: [UInt8]) throws(Fault) {
        count += bytes.count
        guard count <= Self.maximumBytes else { throw Fault(reason: "the page is too long") }
        var reader = exchange(&xml, with: XMLReader())
        do {
            try bytes.withUnsafeBytes { bytes in try reader.read(bytes) { try take($0) } }
        } catch {
            throw error as? Fault ?? Fault(reason: "\(error)")
        }
        xml = reader
    }

    /// - Throws: ``Fault`` if the page is incomplete, or announces more pages without a token.
    func finish() throws(Fault) -> BucketPage {
        try xml.finish()
        guard let isTruncated else { throw Fault(reason: "IsTruncated is missing") }
        guard !isTruncated || token?.isEmpty == false else {
            throw Fault(reason: "the listing is truncated but has no continuation token")
        }
        var page = BucketPage(next: isTruncated ? token : nil)
        page.objects.reserveCapacity(objects.count)
        for object in objects {
            guard let written = object.key, let size = object.size, let modified = object.modified else {
                throw Fault(reason: "an object without key, size or time")
            }
            guard let key = isEncoded ? PercentEncoding.bytes(of: written, plusIsSpace: true) : written else {
                throw Fault(reason: "a key that is not encoded as declared")
            }
            page.objects.append(
                BucketObject(key: key, size: size, modified: modified, entityTag: object.entityTag))
        }
        return page
    }

    private mutating func take(_ event: XMLReader.Event) throws(Fault) {
        switch event {
        case .begin(let name):
            if path.isEmpty, name != "ListBucketResult" { throw Fault(reason: "not a bucket listing") }
            path.append(name)
            value.removeAll(keepingCapacity: true)
            if path.count == 2, name == "Contents" { object = RawObject() }
        case .text(let text): value = text
        case .end(let name):
            try end(name)
            path.removeLast()
            value.removeAll(keepingCapacity: true)
        }
    }

    private mutating func end(_ name: String) throws(Fault) {
        var text: String { String(decoding: value, as: UTF8.self) }
        switch (path.count, name) {
        case (2, "IsTruncated"):
            guard ["true", "false"].contains(text) else { throw Fault(reason: "IsTruncated is missing") }
            isTruncated = text == "true"
        case (2, "NextContinuationToken"): token = text
        case (2, "EncodingType"): isEncoded = text == "url"
        case (2, "Contents"):
            guard objects.count < Self.maximumObjects else { throw Fault(reason: "the page has too many objects") }
            if let object { objects.append(object) }
            object = nil
        case (3, "Key"): object?.key = value
        case (3, "Size"): object?.size = Int64(text).flatMap { $0 >= 0 ? $0 : nil }
        case (3, "LastModified"): object?.modified = Timestamp(text)?.seconds
        case (3, "ETag"): object?.entityTag = text
        default: break
        }
    }
}
