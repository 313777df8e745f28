import Catalog
import Testing

@testable import GalleryServer

@Suite struct ClusterNameTests {
    @Test func `a folder mounted at another path is the same gallery`() {
        #expect(ClusterName.of([.folder(path: "/mnt/a/Pictures")]) == ClusterName.of([.folder(path: "/srv/Pictures/")]))
    }

    @Test func `a bucket at another endpoint is the same gallery, and another bucket is not`() throws {
        let inside = try BucketAddress("s3://pictures/2024", in: .init(endpoint: "http://10.0.0.1:9000"))
        let outside = try BucketAddress("s3://pictures/2024/", in: .init(endpoint: "https://store.example.org"))
        let other = try BucketAddress("s3://pictures/2025", in: .init(endpoint: "http://10.0.0.1:9000"))
        #expect(ClusterName.of([.bucket(inside)]) == ClusterName.of([.bucket(outside)]))
        #expect(ClusterName.of([.bucket(inside)]) != ClusterName.of([.bucket(other)]))
    }

    @Test func `arguments name the gallery that a server with them is, whatever its other options`() throws {
        let arguments = ["https://example.org/{index}.jpg", "s3://pictures_of_us/2024", "/"]
        let store = BucketAddress.Store(endpoint: "http://10.0.0.1:9000", region: "eu-west-1")
        let served = try Source.parse(arguments, count: 1_000, first: 7, store: store)
        #expect(served.count == 3)
        #expect(try ClusterName.of(arguments: arguments) == ClusterName.of(served))
    }

    @Test func `other sources, or the same sources in another order, are another gallery`() throws {
        let folders = [Source.folder(path: "/a/One"), .folder(path: "/a/Two")]
        let names = [
            ClusterName.of(folders), ClusterName.of(folders.reversed()), ClusterName.of([folders[0]]),
            ClusterName.of([.folder(path: "/a/OneTwo")]), ClusterName.of([.list(path: "/a/One", format: .text)]),
        ]
        #expect(Set(names).count == names.count)
    }
}
