import Images
import Testing

@testable import Catalog

@Suite struct BucketAddressTests {
    @Test func `a prefix names a folder, and keys and tokens are percent-encoded`() throws {
        let address = try BucketAddress("s3://photos/2024", in: .init(endpoint: "http://127.0.0.1:9000/"))
        #expect(address.prefix == "2024/" && address.name == "s3://photos/2024")
        #expect(address.url(of: Array("a b/ü+.jpg".utf8)) == "http://127.0.0.1:9000/photos/2024/a%20b/%C3%BC%2B.jpg")
        #expect(
            address.listing(after: "1=/+")
                == "http://127.0.0.1:9000/photos/?continuation-token=1%3D%2F%2B&encoding-type=url&list-type=2&max-keys=1000&prefix=2024%2F"
        )
    }

    @Test func `Amazon's bucket names are part of the host name unless they contain dots`() throws {
        let store = BucketAddress.Store(region: "eu-west-1")
        #expect(try BucketAddress("s3://photos", in: store).url(of: []) == "https://photos.s3.eu-west-1.amazonaws.com/")
        #expect(
            try BucketAddress("s3://my.photos", in: store).url(of: [])
                == "https://s3.eu-west-1.amazonaws.com/my.photos/")
        let own = BucketAddress.Store(endpoint: "https://store.test", style: .host)
        #expect(try BucketAddress("s3://photos", in: own).url(of: []) == "https://photos.store.test/")
    }

    @Test(arguments: ["s3://", "s3:///a", "s3://a", "s3://a b c", "s3://photos@evil", "s3://..a", "s3://a%2fb"])
    func `an invalid bucket address is refused`(_ word: String) {
        #expect(throws: CatalogError.self) { try BucketAddress(word) }
    }

    @Test(arguments: ["store", "ftp://store", "http://user@store", "http://store/path", "http://store?x", "http://"])
    func `an invalid endpoint is refused`(_ endpoint: String) {
        #expect(throws: CatalogError.self) { try BucketAddress("s3://photos", in: .init(endpoint: endpoint)) }
    }

    @Test func `an image's id depends on its bucket, but not on the prefix`() {
        func id(_ bucket: String, _ prefix: String, _ path: String) -> UInt64 {
            ImageIDGenerator(bucket: bucket, prefix: prefix).firstID(of: path).rawValue
        }
        #expect(id("b", "", "2024/a.jpg") == id("b", "2024/", "a.jpg"))
        #expect(id("b", "", "a.jpg") != id("c", "", "a.jpg"))
    }
}
