import Images
import Testing

@testable import Catalog

@Suite struct BucketAddressTests {
    @Test func `a prefix is a folder, and a key is encoded as it is signed`() throws {
        let address = try BucketAddress("s3://photos/2024", in: .init(endpoint: "http://127.0.0.1:9000/"))
        #expect(address.prefix == "2024/" && address.name == "s3://photos/2024")
        #expect(address.url(of: Array("a b/ü+.jpg".utf8)) == "http://127.0.0.1:9000/photos/2024/a%20b/%C3%BC%2B.jpg")
        #expect(
            address.listing(after: "1=/+")
                == "http://127.0.0.1:9000/photos/?continuation-token=1%3D%2F%2B&encoding-type=url&list-type=2&max-keys=1000&prefix=2024%2F"
        )
    }

    @Test func `Amazon's buckets stand in the host's name, but for those with dots`() throws {
        let store = BucketAddress.Store(region: "eu-west-1")
        #expect(try BucketAddress("s3://photos", in: store).url(of: []) == "https://photos.s3.eu-west-1.amazonaws.com/")
        #expect(
            try BucketAddress("s3://my.photos", in: store).url(of: [])
                == "https://s3.eu-west-1.amazonaws.com/my.photos/")
        let own = BucketAddress.Store(endpoint: "https://store.test", style: .host)
        #expect(try BucketAddress("s3://photos", in: own).url(of: []) == "https://photos.store.test/")
    }

    @Test(arguments: ["s3://", "s3:///a", "s3://a", "s3://a b c", "s3://photos@evil", "s3://..a", "s3://a%2fb"])
    func `what is no bucket is refused`(_ word: String) {
        #expect(throws: CatalogError.self) { try BucketAddress(word) }
    }

    @Test(arguments: ["store", "ftp://store", "http://user@store", "http://store/path", "http://store?x", "http://"])
    func `what is no endpoint is refused`(_ endpoint: String) {
        #expect(throws: CatalogError.self) { try BucketAddress("s3://photos", in: .init(endpoint: endpoint)) }
    }

    @Test func `an image keeps its id beneath another prefix, and in another bucket has another`() {
        func id(_ bucket: String, _ prefix: String, _ path: String) -> UInt64 {
            Identity(bucket: bucket, prefix: prefix).firstID(of: path).rawValue
        }
        #expect(id("b", "", "2024/a.jpg") == id("b", "2024/", "a.jpg"))
        #expect(id("b", "", "a.jpg") != id("c", "", "a.jpg"))
    }
}
