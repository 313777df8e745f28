import Encodings

@testable import Catalog

/// A page of a bucket listing, or a store's other response: the result is the same for any splitting into pieces, and
/// bounded.
enum BucketPageTarget: FuzzTarget {
    private static let address = try? BucketAddress("s3://bucket")

    static func run(_ input: [UInt8]) {
        let pieces = Pieces(input)
        let atOnce = page { (read) throws(BucketPageReader.Fault) in try read(pieces.bytes) }
        let inPieces = page { (read) throws(BucketPageReader.Fault) in
            var fault: BucketPageReader.Fault?
            pieces.forEach { piece in
                guard fault == nil else { return }
                do throws(BucketPageReader.Fault) { try read(Array(piece)) } catch { fault = error }
            }
            if let fault { throw fault }
        }
        precondition((try? atOnce.get()) == (try? inPieces.get()), "the same page is read in two ways")
        if case .success(let page) = atOnce { look(at: page) }
        guard let address else { preconditionFailure("an address that is one") }
        let refusal = BucketRefusal(status: 403, body: pieces.bytes, region: nil, of: address)
        precondition(refusal.reason.utf8.count < 1000 && refusal.code.utf8.count <= 128)
    }

    private static func look(at page: BucketPage) {
        precondition(page.next?.isEmpty != true && page.objects.count <= BucketPageReader.maximumObjects)
        for object in page.objects {
            precondition(object.size >= 0)
            let url = address?.url(of: object.key) ?? ""
            precondition(url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a URL with letters that no URL has")
            precondition(PercentEncoding.bytes(of: PercentEncoding.encode(object.key).utf8) == object.key)
        }
    }

    private static func page(
        _ feed: (([UInt8]) throws(BucketPageReader.Fault) -> Void) throws(BucketPageReader.Fault) -> Void
    ) -> Result<BucketPage, BucketPageReader.Fault> {
        var reader = BucketPageReader()
        do throws(BucketPageReader.Fault) {
            try feed { (bytes) throws(BucketPageReader.Fault) in try reader.read(bytes) }
            return .success(try reader.finish())
        } catch {
            return .failure(error)
        }
    }
}
