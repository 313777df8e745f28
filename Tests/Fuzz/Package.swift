// swift-tools-version: 6.2
import PackageDescription

// The parsers alone, instrumented for coverage-guided fuzzing (libFuzzer) and with the address sanitizer. A package of
// its own, because these flags apply to whole modules, and because fuzzing needs no database, decoder or network: of
// modules that link these, only the files that parse are compiled. `Sources` is a link to the modules.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// Optimised for many executions, but still open to `@testable`. Swift traps remain.
let fuzzed: [SwiftSetting] =
    strict + [
        .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-parse-as-library"])
    ]

/// A module, or only the named files of it.
func module(
    _ name: String, dependsOn dependencies: [Target.Dependency] = [], only sources: [String]? = nil,
    without exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(name)", exclude: exclude, sources: sources,
        swiftSettings: fuzzed)
}

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "HTTPServer", "GalleryServer", "Accounts", "Catalog", "Decoding", "FileHeads", "Redaction", "Redis",
                "Renditions", "Images", "Encodings", "Hashing", "Time",
            ],
            path: "Targets", swiftSettings: fuzzed + [.enableExperimentalFeature("Extern")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),

        module(
            "HTTPServer",
            dependsOn: [
                "Metrics", "EventLoops", "Time", "Encodings", "BlockingIO", "Locking", "Clients", "Addresses", "CLinux",
                "Hashing", deque, httpTypes, tracing, log,
            ],
            without: ["StaticFiles"]),
        module(
            "GalleryServer", dependsOn: ["HTTPServer", "Images", "Encodings", httpTypes],
            only: [
                "Policy/SecurityHeaders.swift", "Stream/Messages/ClientMessage.swift",
                "Stream/Messages/ClientMessage+Decoding.swift",
                "Stream/Messages/StreamRendition.swift", "Wire/JSONBody.swift", "Wire/QueryReader.swift",
                "Wire/TokenBodies.swift",
            ]),
        module(
            "Accounts", dependsOn: ["Encodings", "Hashing", "CArgon2", "CCrypto"],
            only: [
                "AccountsError.swift", "Book/Account.swift", "Book/NamedOptions.swift", "Book/Passkey.swift",
                "OpenID/FormEncoding.swift", "OpenID/IDToken.swift", "OpenID/OpenIDError.swift",
                "OpenID/OpenIDPerson.swift", "OpenID/OpenIDSettings.swift", "OpenID/ProviderFetching.swift",
                "OpenID/ProviderMetadata.swift", "OpenID/TokenResponse.swift",
                "Passkeys/AuthenticatorData.swift", "Passkeys/ClientData.swift", "Passkeys/PasskeyResponse.swift",
                "Passwords/Password.swift", "Secret.swift",
                "Signatures/DER.swift", "Signatures/JSONWebKey.swift", "Signatures/JSONWebSignature.swift",
                "Signatures/PublicKey.swift",
            ]),
        module(
            "Catalog", dependsOn: ["Images", "Encodings", "Hashing", "HostNames", "Time", "XML", "CLinux"],
            only: [
                "CatalogError.swift", "Folders/FilePath.swift", "Folders/FileSystemCalls.swift",
                "Folders/FolderIdentity.swift", "Folders/FolderPlace.swift", "Folders/FolderRoot.swift",
                "Folders/OpenFile.swift", "Folders/SidecarName.swift", "Lists",
                "Buckets/BucketAddress.swift", "Buckets/BucketPage.swift", "Buckets/BucketRefusal.swift",
                "Buckets/ObjectStamp.swift",
                "Order/SipHash+Domain.swift", "Pages/Cursor.swift", "Pages/Page.swift", "Sources/ScannedImage.swift",
                "Skipping/GlobPattern.swift", "Skipping/GlobToken.swift", "Skipping/SkipPatterns.swift",
                "Sources/Source.swift", "Sources/WebAddress.swift", "Templates/NumberedText.swift",
                "Templates/URLTemplate.swift",
                "Views/Folding.swift", "Views/MediaKind.swift", "Views/PlainDate.swift", "Views/SearchRange.swift",
                "Views/Search.swift",
                "Views/View.swift", "Views/View+Sort.swift", "Views/WallTime.swift",
            ],
            without: ["Lists/ListSource.swift"]),
        module(
            "Decoding", dependsOn: ["Renditions", "FileHeads", "Images", "Time", "XML", "Encodings", "CBrotliDecoder"],
            only: [
                "Colour/ColourDescription.swift", "Colour/ColourMatrix.swift", "Colour/ColourPrimaries.swift",
                "Colour/HEIFColour.swift", "Colour/ICCProfile.swift", "Colour/PNGColour.swift",
                "Colour/ToneMapping.swift", "Colour/TransferFunction.swift", "Drawings/DrawingFrame.swift",
                "Drawings/XMLProlog.swift",
                "Kinds/AVIFSequence.swift", "Kinds/CutWebP.swift", "Kinds/FileKind.swift", "Kinds/GIFFrames.swift",
                "Kinds/HEIFTransformations.swift",
                "Kinds/AV1SequenceHeader.swift",
                "Kinds/HEVCParameters.swift",
                "Kinds/Identification.swift",
                "Kinds/ItemProperties.swift", "Kinds/JPEGHead.swift",
                "Kinds/JPEGScans.swift", "Kinds/PNGChunks.swift", "Kinds/RawPhoto.swift",
                "Metadata/BoxedMetadata.swift", "Metadata/ExifMetadata.swift",
                "Metadata/IPTCRecord.swift",
                "Metadata/MetadataText.swift", "Metadata/MultiPictureIndex.swift",
                "Metadata/PNGMetadata.swift", "Metadata/PictureMetadata.swift", "Metadata/Sidecars",
                "Metadata/XMP", "Pixels/PixelRectangle.swift",
                "Pixels/WebPContainer.swift",
                "Reading/SourceReader.swift", "RenderSource.swift", "RenderStop.swift",
                "Repair/Repair.swift", "Repair/Repair+PNG.swift",
                "TIFF/TIFFImage.swift", "TIFF/TIFFImages.swift", "TIFF/TIFFReader.swift", "TIFF/TIFFSelection.swift",
            ]),
        module("Redis", only: ["Protocol", "RedisReply.swift"]),
        module("Renditions", dependsOn: ["Images", "Scheduling"]),
        module("EventLoops", dependsOn: ["Locking", "CLinux"]),
        module("BlockingIO", dependsOn: ["Scheduling", "Locking"]),
        module("Locking"),
        module("Metrics"),
        module("Clients", dependsOn: ["Addresses"]),
        module("Addresses", dependsOn: ["Encodings"]),
        module("Encodings"),
        module("HostNames", dependsOn: ["CIDN"]),
        module("Time"),
        module("XML"),
        module("Scheduling"),
        module("Images"),
        module("FileHeads"),
        module("Redaction", dependsOn: ["FileHeads", "Images"]),
        module("Hashing", dependsOn: ["CCrypto"]),
        .target(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(name: "CArgon2", path: "Sources/CArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "CBrotliDecoder", path: "Sources/CBrotliDecoder", pkgConfig: "libbrotlidec"),
        .systemLibrary(name: "CCrypto", path: "Sources/CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CIDN", path: "Sources/CIDN", pkgConfig: "libidn2"),
    ],
    swiftLanguageModes: [.v6]
)

var deque: Target.Dependency { .product(name: "DequeModule", package: "swift-collections") }
var httpTypes: Target.Dependency { .product(name: "HTTPTypes", package: "swift-http-types") }
var tracing: Target.Dependency { .product(name: "Tracing", package: "swift-distributed-tracing") }
var log: Target.Dependency { .product(name: "Logging", package: "swift-log") }
