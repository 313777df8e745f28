/// One object as a listing names it.
struct BucketObject: Hashable, Sendable {
    /// Any bytes; most are UTF-8.
    var key: [UInt8]
    /// Bytes.
    var size: Int64
    /// Seconds since 1970.
    var modified: Int64
    /// With its quotes.
    var entityTag: String?
}

/// One page of a listing.
struct BucketPage: Hashable, Sendable {
    var objects: [BucketObject] = []
    /// What the next page is asked for with; nil where this is the last. Opaque.
    var next: String?
}

/// Reads one answer to `ListObjectsV2` while it comes.
struct BucketPageReader {
    /// Bytes of the longest answer: a thousand keys of 1,024 bytes, each byte written as `%XX`, and as much again.
    static let longest = 16 << 20
    /// No store gives more in one page.
    static let mostObjects = 10_000

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

    /// The key is understood when the whole page is there: how it is encoded may be said behind it.
    private struct RawObject {
        var key: [UInt8]?
        var size: Int64?
        var modified: Int64?
        var entityTag: String?
    }

    /// What the next page will be asked for with, as soon as that is told: many stores tell it ahead of the keys.
    var next: String? { isTruncated == true ? token : nil }

    /// - Throws: ``Fault`` for what is no listing.
    mutating func read(_ bytes: [UInt8]) throws(Fault) {
        count += bytes.count
        guard count <= Self.longest else { throw Fault(reason: "the page is too long") }
        var reader = exchange(&xml, with: XMLReader())
        do {
            try bytes.withUnsafeBytes { bytes in try reader.read(bytes) { try take($0) } }
        } catch {
            throw error as? Fault ?? Fault(reason: "\(error)")
        }
        xml = reader
    }

    /// - Throws: ``Fault`` for a page that is not whole, or that says of more and not how to come by it.
    func finish() throws(Fault) -> BucketPage {
        try xml.finish()
        guard let isTruncated else { throw Fault(reason: "it is not said whether more follows") }
        guard !isTruncated || token?.isEmpty == false else { throw Fault(reason: "more follows, and not how") }
        var page = BucketPage(next: isTruncated ? token : nil)
        page.objects.reserveCapacity(objects.count)
        for object in objects {
            guard let written = object.key, let size = object.size, let modified = object.modified else {
                throw Fault(reason: "an object without key, size or time")
            }
            guard let key = isEncoded ? URLCoding.decoded(written) : written else {
                throw Fault(reason: "a key that is not encoded as it says")
            }
            page.objects.append(
                BucketObject(key: key, size: size, modified: modified, entityTag: object.entityTag))
        }
        return page
    }

    private mutating func take(_ event: XMLReader.Event) throws(Fault) {
        switch event {
        case .begin(let name):
            if path.isEmpty, name != "ListBucketResult" { throw Fault(reason: "this is no listing") }
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
            guard ["true", "false"].contains(text) else { throw Fault(reason: "it is not said whether more follows") }
            isTruncated = text == "true"
        case (2, "NextContinuationToken"): token = text
        case (2, "EncodingType"): isEncoded = text == "url"
        case (2, "Contents"):
            guard objects.count < Self.mostObjects else { throw Fault(reason: "the page has too many objects") }
            if let object { objects.append(object) }
            object = nil
        case (3, "Key"): object?.key = value
        case (3, "Size"): object?.size = Int64(text).flatMap { $0 >= 0 ? $0 : nil }
        case (3, "LastModified"): object?.modified = WallTime.seconds(text)
        case (3, "ETag"): object?.entityTag = text
        default: break
        }
    }
}
