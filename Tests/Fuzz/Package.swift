// swift-tools-version: 6.2
import PackageDescription

// The parsers alone, instrumented for coverage-guided fuzzing (libFuzzer) and with the address sanitizer. A package of
// its own, because these flags are for a whole module, and because fuzzing needs no database, decoder or network: of
// the rooms whose other half links them, only the files are compiled that parse. `Sources` is the link to the rooms.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// Optimised, so that executions are many, and yet open to `@testable`. A Swift trap stays one.
let fuzzed: [SwiftSetting] =
    strict + [
        .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-parse-as-library"])
    ]

/// A room, or as much of it as is named.
func room(
    _ name: String, knows dependencies: [Target.Dependency] = [], only sources: [String]? = nil,
    without exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(name)", exclude: exclude, sources: sources,
        swiftSettings: fuzzed)
}

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: ["HTTPServer", "GalleryServer", "Catalog", "Decoding", "Redis", "Renditions", "Images"],
            path: "Targets", swiftSettings: fuzzed + [.enableExperimentalFeature("Extern")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),

        room(
            "HTTPServer",
            knows: [
                "EventLoops", "HTTPDates", "Locking", "Clients", "Addresses", "CLinux", "Crypto", collections,
                httpTypes, tracing, log,
            ],
            without: ["Assembly", "StaticFiles"]),
        room(
            "GalleryServer", knows: ["HTTPServer", "Images", httpTypes],
            only: [
                "Stream/Messages/ClientMessage.swift", "Stream/Messages/ClientMessage+Decoding.swift",
                "Stream/Messages/JSONValue.swift", "Stream/Messages/StreamRendition.swift", "Wire/JSONBody.swift",
                "Wire/JSONWriter.swift", "Wire/QueryReader.swift", "Wire/TokenBodies.swift",
            ]),
        room(
            "Catalog", knows: ["Images", "CLinux"],
            only: [
                "CatalogError.swift", "Folders/FilePath.swift", "Folders/FileSystemCalls.swift",
                "Folders/FolderIdentity.swift", "Folders/FolderRoot.swift", "Folders/OpenFile.swift", "Lists",
                "Buckets/BucketAddress.swift", "Buckets/BucketPage.swift", "Buckets/BucketRefusal.swift",
                "Buckets/ObjectStamp.swift", "Buckets/URLCoding.swift", "Buckets/XMLReader.swift",
                "Buckets/XMLReader+Entities.swift",
                "Order/SipHash.swift", "Pages/Cursor.swift", "Pages/Page.swift", "Sources/Sighting.swift",
                "Sources/Source.swift", "Sources/WebAddress.swift", "Templates/URLTemplate.swift",
                "Views/Folding.swift", "Views/MediaKind.swift", "Views/Search.swift", "Views/View.swift",
                "Views/WallTime.swift",
            ],
            without: ["Lists/ListSource.swift"]),
        room(
            "Decoding", knows: ["Renditions", "Images"],
            only: [
                "Kinds/AVIFSequence.swift", "Kinds/FileKind.swift", "Kinds/GIFFrames.swift",
                "Kinds/Identification.swift", "Kinds/JPEGHead.swift",
                "Kinds/JPEGScans.swift", "Kinds/JPEGSegments.swift", "Kinds/PNGChunks.swift", "Kinds/TIFFPages.swift",
                "Metadata/ExifMetadata.swift", "Metadata/ICCProfile.swift", "Metadata/IPTCRecord.swift",
                "Metadata/MetadataText.swift", "Metadata/MultiPictureIndex.swift",
                "Metadata/PictureMetadata.swift", "Metadata/PictureTime.swift",
                "Metadata/TIFFDirectories.swift", "Metadata/XMP", "Pixels/WebPContainer.swift",
                "Reading/SourceReader.swift", "RenderSource.swift", "RenderStop.swift",
            ]),
        room("Redis", only: ["Protocol", "RedisReply.swift"]),
        room("Renditions", knows: ["Images", "Scheduling"]),
        room("EventLoops", knows: ["Locking", "CLinux"]),
        room("Locking"),
        room("Clients", knows: ["Addresses"]),
        room("Addresses"),
        room("HTTPDates"),
        room("Scheduling", knows: [collections]),
        room("Images"),
        .target(name: "CLinux", path: "Sources/CLinux"),

        // SHA-1 of a handshake's key is all that is asked of it here; BoringSSL would take longer than all the rest.
        .target(name: "Crypto", path: "DigestStandIn", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

var collections: Target.Dependency { .product(name: "Collections", package: "swift-collections") }
var httpTypes: Target.Dependency { .product(name: "HTTPTypes", package: "swift-http-types") }
var tracing: Target.Dependency { .product(name: "Tracing", package: "swift-distributed-tracing") }
var log: Target.Dependency { .product(name: "Logging", package: "swift-log") }
