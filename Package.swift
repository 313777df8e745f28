// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of every module.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The modules whose tests are built: those that `TESSERA_MODULES` lists, separated by spaces; all modules if it is not
/// set. With an empty list, only the programs are built. For slow builds, such as those with a sanitizer.
let tested = Context.environment["TESSERA_MODULES"].map { Set($0.split(separator: " ").map(String.init)) }

/// A library target with strict settings, and its test target, which may have more dependencies.
func module(
    _ name: String, dependsOn dependencies: [Target.Dependency] = [], tests more: [Target.Dependency] = [],
    links libraries: [String] = [], settings: [SwiftSetting] = []
) -> [Target] {
    let library = Target.target(
        name: name, dependencies: dependencies, swiftSettings: strict + settings,
        linkerSettings: libraries.map { .linkedLibrary($0) })
    guard tested?.contains(name) ?? true else { return [library] }
    let tests = Target.testTarget(
        name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies + more,
        swiftSettings: strict)
    return [library, tests]
}

let package = Package(
    name: "tessera",
    products: [
        .executable(name: "tessera", targets: ["tessera"]),
        .executable(name: "tessera-renderer", targets: ["tessera-renderer"]),
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
    ],
    // Exact, for builds that are alike everywhere: none of these depends on another package.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // The top: the command line.
        [
            .executableTarget(
                name: "tessera",
                dependencies: [
                    // Catalog to RenderWorkers for the settings that its options change.
                    "GalleryServer", "DemoOrigin", argumentParser, log, "Accounts", "Catalog", "HTTPServer", "Loading",
                    "Origins",
                    "Postgres", "Redis", "Renditions", "RenderWorkers", "Traces", "Encodings", "Locking", "Time",
                    "CLinux",
                ],
                swiftSettings: strict)
        ],
        module(
            "GalleryServer",
            dependsOn: [
                "Accounts", "SharedLibrary", "Metrics", "HTTPServer", "Time", "Encodings", "Hashing", "Cluster",
                "MetadataLog", "Postgres", "Redis", "Loading", "Redaction", "Scheduling",
                "Locking", "BlockingIO", "Renditions", "RenderWorkers",
                "Catalog", "Images", "Clients", "Addresses", "Traces", deque, httpTypes, tracing, log,
            ],
            tests: ["Decoding", grdb]),
        module(
            "Accounts",
            dependsOn: [
                "BlockingIO", "Encodings", "Hashing", "Locking", "Scheduling", "CArgon2", "CCrypto", deque, grdb, log,
            ]),
        module(
            "SharedLibrary", dependsOn: ["Accounts", "Postgres", "Encodings", "EventLoops", "Locking", log]),
        module(
            "Cluster",
            dependsOn: [
                "Metrics", "Loading", "Redis", "Origins", "Renditions", "Scheduling", "Clients", "Images", "EventLoops",
                "Locking", "Time", log,
            ],
            tests: ["Addresses"]),
        module(
            "MetadataLog",
            dependsOn: ["Metrics", "Catalog", "Postgres", "Encodings", "EventLoops", "Images", "Locking", log]),
        module(
            "DemoOrigin", dependsOn: ["HTTPServer", "Encodings", "Time", "Renditions", httpTypes, log],
            tests: ["Decoding", "Images", "CVips"],
            // Drawn without optimisation a picture takes as long as thirty, and what a browser is shown of the gallery
            // in a debug build would be the demo's slowness.
            settings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // A picture's way from its source to bytes.
        module(
            "Loading",
            dependsOn: [
                "Metrics", "Origins", "Renditions", "Scheduling", "Clients", "Images", "FileHeads", "Addresses",
                "Encodings", "Locking", "CLinux", "BlockingIO", grdb, deque, tracing, log,
            ],
            tests: ["RenderWorkers", inMemoryTracing]),
        module(
            "Redis", dependsOn: ["EventLoops", "Addresses", "Encodings", "Hashing", "TLS", deque], tests: ["Locking"]),
        module(
            "Postgres", dependsOn: ["EventLoops", "Addresses", "Encodings", "CPostgres", deque], tests: ["Locking"]),
        module(
            "Origins",
            dependsOn: [
                "Metrics", "EventLoops", "Time", "Locking", "Scheduling", "Addresses", "Encodings", "HostNames",
                "Hashing", "CCurl", "CZlib", log,
            ]),
        module(
            "RenderWorkers",
            dependsOn: [
                "Metrics", "Renditions", "Scheduling", "EventLoops", "Images", "Locking", "Sandbox", "CLinux", deque,
                log,
            ]),
        module("Renditions", dependsOn: ["Images", "Scheduling"]),
        module(
            "Catalog",
            dependsOn: [
                "Metrics", "Images", "Encodings", "Hashing", "HostNames", "Time", "XML", "Locking", "BlockingIO",
                "CLinux",
                grdb,
                sqlite, log,
            ],
            tests: ["MetadataLog", "Postgres", "EventLoops"]),

        // The render workers' program. Nothing else links a decoder.
        [
            .executableTarget(
                name: "tessera-renderer",
                dependencies: ["Decoding", "Renditions", "Images", "Encodings", "Sandbox", "CLinux", "CMemoryWatch"],
                swiftSettings: strict)
        ],
        module(
            "Decoding",
            dependsOn: [
                "Renditions", "Redaction", "FileHeads", "Images", "Time", "XML", "Encodings", "CBrotliDecoder", "CVips",
                "CTiff",
                "CWebP", "CMagic", "CLinux",
            ],
            tests: ["CBrotli"],
            // GLib's loader of modules, which libvips' pkg-config file does not name.
            links: ["gmodule-2.0"]),
        module("Sandbox", dependsOn: ["CSandbox"], tests: ["CLinux"]),
        module("Traces", dependsOn: ["Metrics", "Encodings", "Locking", httpTypes, tracing, log]),

        // The ground: sockets, dates, order of work, and the nouns.
        module(
            "HTTPServer",
            dependsOn: [
                "Metrics", "EventLoops", "Time", "Encodings", "BlockingIO", "Locking", "Clients", "Addresses", "CLinux",
                "Hashing", "CBrotli", deque, httpTypes, tracing, log,
            ],
            tests: [inMemoryTracing]),
        module("EventLoops", dependsOn: ["Locking", "CLinux"]),
        module("BlockingIO", dependsOn: ["Scheduling", "Locking", "Time"]),
        module("Locking"),
        module("Clients", dependsOn: ["Addresses"]),
        module("Metrics"),
        module("Addresses", dependsOn: ["Encodings"]),
        module("HostNames", dependsOn: ["CIDN"]),
        module("Encodings"),
        module("Time"),
        module("XML"),
        module("Scheduling"),
        module("Images"),
        module("FileHeads"),
        module("Redaction", dependsOn: ["FileHeads", "Images"]),
        module("TLS", dependsOn: ["COpenSSL"]),
        module("Hashing", dependsOn: ["CCrypto"], tests: ["Encodings"]),

        // What tests need: code that several modules share, and the program that tries what the sandbox forbids.
        tested?.isEmpty == true
            ? []
            : [
                .target(
                    name: "TestSupport", dependencies: ["Locking", log], path: "Tests/TestSupport",
                    swiftSettings: strict),
                .executableTarget(
                    name: "sandbox-probe", dependencies: ["Sandbox", "CLinux", "CMemoryWatch"],
                    path: "Tests/SandboxProbe", swiftSettings: strict),
            ],

        // C libraries, with nothing but what Swift cannot call itself.
        [
            .target(name: "CLinux"),
            .target(name: "CMemoryWatch"),
            .target(name: "CSandbox"),
            .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
            .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
            .systemLibrary(name: "CBrotliDecoder", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
            .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
            .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
            .systemLibrary(name: "CIDN", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
            .systemLibrary(name: "CMagic", pkgConfig: "libmagic", providers: [.apt(["libmagic-dev"])]),
            .systemLibrary(name: "COpenSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
            .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
            .systemLibrary(name: "CTiff", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"])]),
            .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
            .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
            .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        ],
    ].flatMap { $0 },
    swiftLanguageModes: [.v6]
)

var argumentParser: Target.Dependency { .product(name: "ArgumentParser", package: "swift-argument-parser") }
var deque: Target.Dependency { .product(name: "DequeModule", package: "swift-collections") }
var grdb: Target.Dependency { .product(name: "GRDB", package: "GRDB.swift") }
var httpTypes: Target.Dependency { .product(name: "HTTPTypes", package: "swift-http-types") }
/// What GRDB does not wrap of SQLite.
var sqlite: Target.Dependency { .product(name: "GRDBSQLite", package: "GRDB.swift") }
var inMemoryTracing: Target.Dependency {
    .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
}
var tracing: Target.Dependency { .product(name: "Tracing", package: "swift-distributed-tracing") }
var log: Target.Dependency { .product(name: "Logging", package: "swift-log") }
