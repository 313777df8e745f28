// swift-tools-version: 6.2
import PackageDescription

/// Every room of the house is built with the same strictness.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The rooms whose tests are built: those that the environment names, with spaces, and all where it names none. For
/// builds that take long, as those with a sanitizer do.
let tested = Context.environment["TESSERA_ROOMS"].map { Set($0.split(separator: " ").map(String.init)) }

/// A room of the house: a library target with strict settings, and its test target beside it, which may know more.
func room(
    _ name: String, knows dependencies: [Target.Dependency] = [], tests more: [Target.Dependency] = [],
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
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", "4.5.2"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The top: the command line.
        [
            .executableTarget(
                name: "tessera",
                dependencies: [
                    // Catalog to RenderWorkers for the settings that its options change.
                    "GalleryServer", "DemoOrigin", argumentParser, log, "Catalog", "HTTPServer", "Loading", "Origins",
                    "Postgres", "Redis", "Renditions", "RenderWorkers", "Traces", "CLinux",
                ],
                swiftSettings: strict)
        ],
        room(
            "GalleryServer",
            knows: [
                "HTTPServer", "HTTPDates", "Cluster", "FactsLog", "Postgres", "Redis", "Loading", "Locking",
                "Renditions", "RenderWorkers",
                "Catalog", "Images", "Clients", "Addresses", "Traces", collections, httpTypes, tracing, log,
            ],
            tests: ["Decoding", grdb]),
        room(
            "Cluster",
            knows: [
                "Loading", "Redis", "Origins", "Renditions", "Scheduling", "Clients", "Images", "EventLoops", "Locking",
                log,
            ],
            tests: ["Addresses"]),
        room(
            "FactsLog", knows: ["Catalog", "Postgres", "EventLoops", "Images", "Locking", log]),
        room(
            "DemoOrigin", knows: ["HTTPServer", "HTTPDates", "Renditions", httpTypes, log],
            tests: ["Decoding", "Images", "CVips"],
            // Drawn without optimisation a picture takes as long as thirty, and what a browser is shown of the gallery
            // in a debug build would be the demo's slowness.
            settings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // A picture's way from its source to bytes.
        room(
            "Loading",
            knows: [
                "Origins", "Renditions", "Scheduling", "Clients", "Images", "Addresses", "Locking", "CLinux",
                grdb, collections, tracing, log,
            ],
            tests: ["RenderWorkers", inMemoryTracing]),
        room("Redis", knows: ["EventLoops", "Addresses", collections, crypto], tests: ["Locking"]),
        room("Postgres", knows: ["EventLoops", "Addresses", "CPostgres", collections], tests: ["Locking"]),
        room(
            "Origins",
            knows: ["EventLoops", "HTTPDates", "Locking", "Scheduling", "Addresses", "CCurl", crypto, log]),
        room(
            "RenderWorkers", knows: ["Renditions", "Scheduling", "EventLoops", "Images", "Locking", "CLinux", log]),
        room("Renditions", knows: ["Images", "Scheduling"]),
        room(
            "Catalog", knows: ["Images", "Locking", "CLinux", grdb, sqlite, log],
            tests: ["FactsLog", "Postgres", "EventLoops"]),

        // The render workers' program. Nothing else links a decoder.
        [
            .executableTarget(
                name: "tessera-renderer",
                dependencies: ["Decoding", "Renditions", "Images", "Sandbox", "CLinux", "CMemoryWatch"],
                swiftSettings: strict),
            .executableTarget(
                name: "sandbox-probe", dependencies: ["Sandbox", "CMemoryWatch"], path: "Tests/SandboxProbe",
                swiftSettings: strict),
        ],
        room(
            "Decoding", knows: ["Renditions", "Images", "CVips", "CMagic", "CLinux"],
            // GLib's loader of modules, which libvips' pkg-config file does not name.
            links: ["gmodule-2.0"]),
        room("Sandbox", knows: ["CSandbox"]),
        room("Traces", knows: ["Addresses", "Locking", httpTypes, tracing, log]),

        // The ground: sockets, dates, order of work, and the nouns.
        room(
            "HTTPServer",
            knows: [
                "EventLoops", "HTTPDates", "Locking", "Clients", "Addresses", "CLinux", "CBrotli", collections,
                httpTypes, crypto, tracing, log,
            ],
            tests: [inMemoryTracing]),
        room("EventLoops", knows: ["Locking", "CLinux"]),
        room("Locking"),
        room("Clients", knows: ["Addresses"]),
        room("Addresses"),
        room("HTTPDates"),
        room("Scheduling", knows: [collections]),
        room("Images"),

        // What the tests of several rooms share.
        [.target(name: "TestSupport", dependencies: ["Locking"], path: "Tests/TestSupport", swiftSettings: strict)],

        // C libraries, with nothing but what Swift cannot call itself.
        [
            .target(name: "CLinux"),
            .target(name: "CMemoryWatch"),
            .target(name: "CSandbox"),
            .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
            .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
            .systemLibrary(name: "CMagic", pkgConfig: "libmagic", providers: [.apt(["libmagic-dev"])]),
            .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
            .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        ],
    ].flatMap { $0 },
    swiftLanguageModes: [.v6]
)

var argumentParser: Target.Dependency { .product(name: "ArgumentParser", package: "swift-argument-parser") }
var collections: Target.Dependency { .product(name: "Collections", package: "swift-collections") }
var crypto: Target.Dependency { .product(name: "Crypto", package: "swift-crypto") }
var grdb: Target.Dependency { .product(name: "GRDB", package: "GRDB.swift") }
var httpTypes: Target.Dependency { .product(name: "HTTPTypes", package: "swift-http-types") }
/// What GRDB does not wrap of SQLite.
var sqlite: Target.Dependency { .product(name: "GRDBSQLite", package: "GRDB.swift") }
var inMemoryTracing: Target.Dependency {
    .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
}
var tracing: Target.Dependency { .product(name: "Tracing", package: "swift-distributed-tracing") }
var log: Target.Dependency { .product(name: "Logging", package: "swift-log") }
